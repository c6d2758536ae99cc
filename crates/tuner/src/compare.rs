//! Comparing the arrays two programs leave behind.
//!
//! A dump is a sequence of records, one per array and run of the region: a line
//! `NAME TYPE BYTES SIZE`, then the bytes. Dumps are read side by side in
//! pieces, so that their size does not matter.

use std::fmt;
use std::io::{self, BufRead, Read};
use thiserror::Error;

/// Which differences are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tolerance {
    /// None; two NaNs are equal whatever their bits.
    Exact,
    /// Floating-point elements may be this many representable numbers apart.
    Ulps(u64),
    /// Any finite difference; only its size is reported.
    Report,
}

/// Type of the elements of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Elem {
    Float,
    Double,
    Signed(usize),
    Unsigned(usize),
}

impl Elem {
    fn parse(name: &str, size: usize) -> Option<Elem> {
        match (name, size) {
            ("float", 4) => Some(Elem::Float),
            ("double", 8) => Some(Elem::Double),
            (_, 1 | 2 | 4 | 8) if name.starts_with("unsigned") => Some(Elem::Unsigned(size)),
            (_, 1 | 2 | 4 | 8) => Some(Elem::Signed(size)),
            _ => None,
        }
    }

    fn size(self) -> usize {
        match self {
            Elem::Float => 4,
            Elem::Double => 8,
            Elem::Signed(n) | Elem::Unsigned(n) => n,
        }
    }

    /// The value, exact for all but integers beyond 2^53.
    fn value(self, bytes: &[u8]) -> f64 {
        match self {
            Elem::Float => f64::from(f32::from_bits(bits(bytes) as u32)),
            Elem::Double => f64::from_bits(bits(bytes)),
            Elem::Signed(_) => self.signed(bytes) as f64,
            Elem::Unsigned(_) => bits(bytes) as f64,
        }
    }

    fn signed(self, bytes: &[u8]) -> i64 {
        let unused = 64 - 8 * self.size() as u32;
        (bits(bytes) << unused) as i64 >> unused
    }

    /// The value with enough digits to tell it from every other.
    fn show(self, bytes: &[u8]) -> String {
        match self {
            Elem::Float => {
                let bits = bits(bytes) as u32;
                format!("{:?} (0x{bits:08x})", f32::from_bits(bits))
            }
            Elem::Double => {
                let bits = bits(bytes);
                format!("{:?} (0x{bits:016x})", f64::from_bits(bits))
            }
            Elem::Signed(_) => self.signed(bytes).to_string(),
            Elem::Unsigned(_) => bits(bytes).to_string(),
        }
    }

    /// How far apart two elements are.
    fn distance(self, a: &[u8], b: &[u8]) -> Distance {
        let floating = matches!(self, Elem::Float | Elem::Double);
        let (x, y) = (self.value(a), self.value(b));
        if floating && x.is_nan() && y.is_nan() {
            return Distance::Nan;
        }
        let ulps = match self {
            _ if floating && (!x.is_finite() || !y.is_finite()) => u64::MAX,
            Elem::Float => ulps_f32(bits(a) as u32, bits(b) as u32),
            Elem::Double => ulps_f64(bits(a), bits(b)),
            _ => u64::MAX,
        };
        let scale = x.abs().max(y.abs());
        let relative = if x.is_finite() && y.is_finite() {
            if scale == 0.0 {
                0.0
            } else {
                (x - y).abs() / scale
            }
        } else {
            f64::INFINITY
        };
        Distance::Apart { ulps, relative }
    }
}

/// The little-endian number of at most 8 bytes.
fn bits(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b))
}

/// Number of steps between two finite floats, 0 between the two zeros.
fn ulps_f32(a: u32, b: u32) -> u64 {
    let order = |x: u32| {
        let magnitude = i64::from(x & 0x7fff_ffff);
        if x >> 31 == 1 { -magnitude } else { magnitude }
    };
    order(a).abs_diff(order(b))
}

/// Number of steps between two finite doubles, 0 between the two zeros.
fn ulps_f64(a: u64, b: u64) -> u64 {
    let order = |x: u64| {
        let magnitude = (x & (u64::MAX >> 1)) as i64;
        if x >> 63 == 1 { -magnitude } else { magnitude }
    };
    order(a).abs_diff(order(b))
}

/// Two elements with different bits.
enum Distance {
    /// Both are NaN.
    Nan,
    /// Numbers, or one NaN.
    Apart {
        /// Steps between them; `u64::MAX` where that makes no sense.
        ulps: u64,
        /// Relative to the larger.
        relative: f64,
    },
}

/// The first element that differs by more than is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Which record of this array, counted from 0.
    pub record: usize,
    /// Flat index of the element.
    pub index: u64,
    /// Value in the first dump.
    pub expected: String,
    /// Value in the second dump.
    pub found: String,
}

/// What became of the records of one array.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayReport {
    /// Name in the source.
    pub name: String,
    /// Times it was dumped.
    pub records: usize,
    /// Bytes of all records.
    pub bytes: u64,
    /// Elements of all records.
    pub elements: u64,
    /// Elements whose bits differ, but which are accepted.
    pub n_near: u64,
    /// Elements that differ by more than is accepted.
    pub n_mismatches: u64,
    /// The first of them.
    pub first: Option<Mismatch>,
    /// Largest accepted distance of floating-point elements.
    pub max_ulps: u64,
    /// Largest accepted relative difference.
    pub max_relative: f64,
    /// Pairs of NaNs whose bits differ.
    pub n_nans: u64,
}

/// Why two dumps cannot be compared.
#[derive(Debug, Error)]
pub enum DumpError {
    /// A dump could not be read.
    #[error("a dump cannot be read: {0}")]
    Io(#[from] io::Error),
    /// A dump does not have the expected form.
    #[error("a dump is damaged: {0}")]
    Malformed(String),
    /// The dumps hold different records.
    #[error("{0}")]
    Different(String),
}

/// Header of a record.
struct Record {
    name: String,
    kind: String,
    bytes: u64,
    elem: Elem,
}

fn next_record(dump: &mut impl BufRead) -> Result<Option<Record>, DumpError> {
    let mut line = Vec::new();
    dump.take(1024).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&line);
    let malformed = || {
        DumpError::Malformed(format!(
            "`{}` is no header of a record",
            text.trim_end().escape_debug()
        ))
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let [name, kind, bytes, size] = words.as_slice() else {
        return Err(malformed());
    };
    let bytes: u64 = bytes.parse().map_err(|_| malformed())?;
    let size: usize = size.parse().map_err(|_| malformed())?;
    let elem = Elem::parse(kind, size).ok_or_else(malformed)?;
    if !bytes.is_multiple_of(size as u64) || !text.ends_with('\n') {
        return Err(malformed());
    }
    Ok(Some(Record {
        name: name.to_string(),
        kind: kind.replace('_', " "),
        bytes,
        elem,
    }))
}

/// Compares the dump of the C program with that of the generated one; one
/// report per array, in the order of their first records.
///
/// # Errors
/// Where the dumps do not consist of the same records.
pub fn compare(
    expected: &mut impl BufRead,
    found: &mut impl BufRead,
    tolerance: Tolerance,
) -> Result<Vec<ArrayReport>, DumpError> {
    let mut reports: Vec<ArrayReport> = Vec::new();
    loop {
        let (a, b) = match (next_record(expected)?, next_record(found)?) {
            (None, None) => return Ok(reports),
            (Some(a), Some(b)) => (a, b),
            (Some(a), None) => return Err(lacking("generated", &a)),
            (None, Some(b)) => return Err(lacking("C", &b)),
        };
        if (&a.name, &a.kind, a.bytes, a.elem) != (&b.name, &b.kind, b.bytes, b.elem) {
            return Err(DumpError::Different(format!(
                "the C program has {} bytes of {} `{}` where the generated one has {} bytes of {} `{}`",
                a.bytes, a.kind, a.name, b.bytes, b.kind, b.name
            )));
        }
        let at = reports
            .iter()
            .position(|r| r.name == a.name)
            .unwrap_or_else(|| {
                reports.push(ArrayReport::new(&a.name));
                reports.len() - 1
            });
        reports[at].record(&a, expected, found, tolerance)?;
    }
}

fn lacking(program: &str, record: &Record) -> DumpError {
    DumpError::Different(format!(
        "the {program} program ended before it computed `{}`",
        record.name
    ))
}

impl ArrayReport {
    fn new(name: &str) -> Self {
        ArrayReport {
            name: name.to_string(),
            records: 0,
            bytes: 0,
            elements: 0,
            n_near: 0,
            n_mismatches: 0,
            first: None,
            max_ulps: 0,
            max_relative: 0.0,
            n_nans: 0,
        }
    }

    fn record(
        &mut self,
        record: &Record,
        expected: &mut impl BufRead,
        found: &mut impl BufRead,
        tolerance: Tolerance,
    ) -> Result<(), DumpError> {
        const PIECE: usize = 1 << 20;
        let size = record.elem.size();
        let (mut a, mut b) = (vec![0; PIECE], vec![0; PIECE]);
        let mut done = 0;
        while done < record.bytes {
            let n = (record.bytes - done).min(PIECE as u64) as usize;
            for (dump, piece) in [(&mut *expected as &mut dyn Read, &mut a), (found, &mut b)] {
                dump.read_exact(&mut piece[..n])
                    .map_err(|e| match e.kind() {
                        io::ErrorKind::UnexpectedEof => {
                            DumpError::Malformed(format!("it ends inside `{}`", record.name))
                        }
                        _ => DumpError::Io(e),
                    })?;
            }
            if a[..n] != b[..n] {
                for (i, (x, y)) in a[..n].chunks(size).zip(b[..n].chunks(size)).enumerate() {
                    if x != y {
                        self.element(record.elem, done / size as u64 + i as u64, x, y, tolerance);
                    }
                }
            }
            done += n as u64;
        }
        self.records += 1;
        self.bytes += record.bytes;
        self.elements += record.bytes / size as u64;
        Ok(())
    }

    /// Judges two elements whose bits differ.
    fn element(&mut self, elem: Elem, index: u64, x: &[u8], y: &[u8], tolerance: Tolerance) {
        let Distance::Apart { ulps, relative } = elem.distance(x, y) else {
            self.n_nans += 1;
            return;
        };
        let accepted = match tolerance {
            Tolerance::Exact => false,
            Tolerance::Ulps(limit) => ulps <= limit && ulps < u64::MAX,
            Tolerance::Report => relative.is_finite(),
        };
        if accepted {
            self.n_near += 1;
            self.max_ulps = self.max_ulps.max(ulps);
            self.max_relative = self.max_relative.max(relative);
            return;
        }
        self.n_mismatches += 1;
        self.first.get_or_insert_with(|| Mismatch {
            record: self.records,
            index,
            expected: elem.show(x),
            found: elem.show(y),
        });
    }
}

impl fmt::Display for ArrayReport {
    /// What is wrong with the array, or how near it is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = &self.first else {
            return write!(f, "{} ({} bytes)", self.name, self.bytes);
        };
        write!(f, "{}[flat index {}]", self.name, first.index)?;
        if self.records > 1 {
            write!(f, " after run {} of the region", first.record + 1)?;
        }
        write!(
            f,
            ": C program {}, generated program {}; {} of {} elements differ",
            first.expected, first.found, self.n_mismatches, self.elements
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dump(records: &[(&str, &str, &[u8], usize)]) -> Vec<u8> {
        let mut out = Vec::new();
        for (name, kind, bytes, size) in records {
            out.extend(format!("{name} {kind} {} {size}\n", bytes.len()).bytes());
            out.extend(*bytes);
        }
        out
    }

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    fn compare_floats(a: &[f32], b: &[f32], tolerance: Tolerance) -> ArrayReport {
        let (a, b) = (floats(a), floats(b));
        let (a, b) = (
            dump(&[("A", "float", &a, 4)]),
            dump(&[("A", "float", &b, 4)]),
        );
        let reports = compare(&mut a.as_slice(), &mut b.as_slice(), tolerance);
        reports.expect("the dumps have one form").remove(0)
    }

    #[test]
    fn ulps_count_representable_numbers() {
        let f = |a: f32, b: f32| ulps_f32(a.to_bits(), b.to_bits());
        assert_eq!(f(1.0, 1.0), 0);
        assert_eq!(f(1.0, f32::from_bits(1.0f32.to_bits() + 3)), 3);
        assert_eq!(f(0.0, -0.0), 0);
        assert_eq!(f(f32::from_bits(1), -f32::from_bits(1)), 2);
        assert_eq!(f(f32::MAX, f32::MIN), 2 * u64::from(f32::MAX.to_bits()));
        let d = |a: f64, b: f64| ulps_f64(a.to_bits(), b.to_bits());
        assert_eq!(d(1.0, 1.0 + f64::EPSILON), 1);
        assert_eq!(d(1.0, 1.0 - f64::EPSILON), 2);
        assert_eq!(d(-0.0, f64::from_bits(5)), 5);
        assert_eq!(d(f64::MAX, f64::MIN), 2 * f64::MAX.to_bits());
    }

    #[test]
    fn exact_sees_every_bit_but_those_of_nans() {
        let nan = f32::from_bits(0xffc0_0001);
        let r = compare_floats(&[1.0, f32::NAN, 2.0], &[1.0, nan, 2.0], Tolerance::Exact);
        assert_eq!(
            (r.n_mismatches, r.n_nans, r.elements, r.bytes),
            (0, 1, 3, 12)
        );
        let r = compare_floats(&[1.0, 0.0, 2.0], &[1.0, -0.0, 3.0], Tolerance::Exact);
        assert_eq!(r.n_mismatches, 2);
        let first = r.first.expect("a mismatch");
        assert_eq!(
            (first.index, first.expected.as_str()),
            (1, "0.0 (0x00000000)")
        );
        assert_eq!(first.found, "-0.0 (0x80000000)");
        let r = compare_floats(&[1.0], &[f32::NAN], Tolerance::Ulps(1 << 40));
        assert_eq!(r.n_mismatches, 1);
    }

    #[test]
    fn ulps_are_a_limit() {
        let near = f32::from_bits(1.0f32.to_bits() + 8);
        let r = compare_floats(&[1.0], &[near], Tolerance::Ulps(8));
        assert_eq!((r.n_mismatches, r.max_ulps), (0, 8));
        assert_eq!(
            compare_floats(&[1.0], &[near], Tolerance::Ulps(7)).n_mismatches,
            1
        );
        let r = compare_floats(&[f32::MAX], &[f32::INFINITY], Tolerance::Ulps(8));
        assert_eq!(r.n_mismatches, 1);
    }

    #[test]
    fn report_measures() {
        let r = compare_floats(&[1.0, 0.0], &[2.0, 0.0], Tolerance::Report);
        assert_eq!((r.n_mismatches, r.max_relative), (0, 0.5));
        let r = compare_floats(&[1.0], &[f32::INFINITY], Tolerance::Report);
        assert_eq!(r.n_mismatches, 1);
    }

    #[test]
    fn integers_are_exact_and_shown_with_their_sign() {
        let a = dump(&[
            ("B", "signed_char", &[1, 255], 1),
            ("B", "unsigned_char", &[1], 1),
        ]);
        let b = dump(&[
            ("B", "signed_char", &[1, 128], 1),
            ("B", "unsigned_char", &[200], 1),
        ]);
        let r = compare(&mut a.as_slice(), &mut b.as_slice(), Tolerance::Ulps(1000))
            .expect("comparable");
        assert_eq!((r.len(), r[0].records, r[0].n_mismatches), (1, 2, 2));
        assert!(r[0].to_string().contains("B[flat index 1] after run 1 of the region: C program -1, generated program -128; 2 of 3"));
    }

    #[test]
    fn different_records_are_named() {
        let (one, two) = (floats(&[1.0]), floats(&[1.0, 2.0]));
        let a = dump(&[("A", "float", &one, 4)]);
        let b = dump(&[("A", "float", &two, 4)]);
        let c = dump(&[("A", "float", &one, 4), ("B", "float", &one, 4)]);
        let text = |a: &[u8], b: &[u8]| match compare(&mut &*a, &mut &*b, Tolerance::Exact) {
            Ok(_) => String::new(),
            Err(e) => e.to_string(),
        };
        assert!(text(&a, &b).contains("4 bytes of float `A` where the generated one has 8 bytes"));
        assert_eq!(
            text(&c, &a),
            "the generated program ended before it computed `B`"
        );
        assert_eq!(text(&a, &c), "the C program ended before it computed `B`");
        assert!(text(&a, &a[..a.len() - 1]).contains("ends inside `A`"));
        assert!(text(b"A float x 4\n", &a).contains("no header"));
        assert!(text(b"A float 4 0\n", &a).contains("no header"));
        assert_eq!(text(b"", b""), "");
    }
}
