//! C files that are not UTF-8: comments and strings may hold any bytes, and results must hold the
//! same ones.

/// Where bytes that are no UTF-8 stand meanwhile: in the last plane for private use.
const FIRST: u32 = 0x10_ff00;

/// What some editors put before a text in UTF-8, and compilers skip.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// A text without the mark of its encoding; in one that is not UTF-8, or has characters that stand for bytes here, bytes above
/// ASCII become characters for private use.
pub fn decode(mut bytes: Vec<u8>) -> String {
    if bytes.starts_with(MARK) {
        bytes.drain(..MARK.len());
    }
    let text = String::from_utf8(bytes).map_err(|e| e.into_bytes());
    let is_plain = |text: &String| text.chars().all(|c| u32::from(c) < FIRST);
    let text = text.and_then(|text| match is_plain(&text) {
        true => Ok(text),
        false => Err(text.into_bytes()),
    });
    text.unwrap_or_else(|bytes| {
        let char_of = |b: u8| match b.is_ascii() {
            true => char::from(b),
            false => char::from_u32(FIRST + u32::from(b)).unwrap_or(char::REPLACEMENT_CHARACTER),
        };
        bytes.into_iter().map(char_of).collect()
    })
}

/// The bytes of a text that [`decode`] made, or of any other.
pub fn encode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u32::from(c).checked_sub(FIRST) {
            Some(byte @ 0x80..=0xff) => bytes.push(byte as u8),
            _ => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        for bytes in [
            &b"plain"[..],
            "\u{e4} \u{10ffff}".as_bytes(),
            b"a\xe4\xff\x80b",
        ] {
            assert_eq!(encode(&decode(bytes.to_vec())), bytes);
        }
    }

    #[test]
    fn the_mark_of_an_encoding_is_no_text() {
        assert_eq!(decode(b"\xef\xbb\xbfint x;".to_vec()), "int x;");
    }
}
