//! Planes of a program as rows that pointers lead to, each with memory of its own.

use super::NAMES;

/// The text of a program whose planes are flat arrays of a type that `main` has, of n rows of m elements, with rows by pointers.
pub(super) fn in_rows(text: &str, ty: &str) -> String {
    let lines = text.lines().map(|line| {
        let line = line.replace(&format!("{ty} *"), &format!("{ty} **"));
        let line = match line.contains("int n, m;") {
            true => line.replace(", *", ", **"),
            false => line,
        };
        if let Some((name, _)) = line.trim_start().split_once(&format!(" = ({ty} **)malloc(")) {
            return format!(
                "  {name} = ({ty} **)malloc(sizeof({ty} *) * n);\n  for (k = 0; k < n; k++)\n    {name}[k] = ({ty} *)malloc(sizeof({ty}) * m);"
            );
        }
        let bytes = format!("(m * (int)sizeof({ty}))");
        let of_bytes = |name: &&&str| line.contains(&format!("((unsigned char *){name})[k]"));
        match NAMES.iter().find(of_bytes) {
            Some(name) => line.replace(
                &format!("((unsigned char *){name})[k]"),
                &format!("((unsigned char *){name}[k / {bytes}])[k % {bytes}]"),
            ),
            None => elements(&line),
        }
    });
    lines.map(|line| line + "\n").collect()
}

/// A line with elements of rows.
fn elements(line: &str) -> String {
    let (mut text, mut rest) = (String::new(), line);
    while let Some(open) = rest.find('[') {
        let (before, behind) = rest.split_at(open);
        let Some(close) = behind.find(']') else {
            break;
        };
        let name = before
            .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
            .next();
        let name = name.unwrap_or_default();
        let of_plane = NAMES.contains(&name.trim_start_matches("p_"));
        let at = &behind[1..close];
        text += before;
        text += &match at.split_once(" * m + ") {
            _ if !of_plane => format!("[{at}]"),
            Some((row, column)) => format!("[{row}][{column}]"),
            None if at == "j" => String::from("[0][j]"),
            None => format!("[({at}) / m][({at}) % m]"),
        };
        rest = &behind[close + 1..];
    }
    text + rest
}
