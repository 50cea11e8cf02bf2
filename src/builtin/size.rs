//! Amounts of bytes as tools print them, read and written.

/// Multiples of 1024, as `df -h`, `du -h` and systemd use the letters.
const LETTERS: [char; 6] = ['K', 'M', 'G', 'T', 'P', 'E'];

/// An amount, and whether it carried a unit (`4.2G`) or was a bare number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Amount {
    pub(crate) number: f64,
    pub(crate) has_unit: bool,
}

/// Reads `512`, `4.2G`, `4,2G` (locales with a decimal comma), `1.5GiB`, `8.0M`, `0B`.
pub(crate) fn parse(text: &str) -> Option<Amount> {
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    if !number.starts_with(|c: char| c.is_ascii_digit()) || number.len() > 20 {
        return None;
    }
    let number: f64 = number.replace(',', ".").parse().ok()?;
    let bare = unit.strip_suffix("iB").or(unit.strip_suffix('i')).or(unit.strip_suffix('B')).unwrap_or(unit);
    if bare.is_empty() {
        return Some(Amount { number, has_unit: unit == "B" });
    }
    let mut letters = bare.chars();
    let letter = letters.next()?.to_ascii_uppercase();
    let power = LETTERS.iter().position(|&l| l == letter)?;
    if letters.next().is_some() {
        return None;
    }
    let power = i32::try_from(power).ok()?;
    Some(Amount { number: number * 1024f64.powi(power + 1), has_unit: true })
}

/// Writes `812M`, `4.2G`, `512`: one decimal where it says something.
pub(crate) fn human(bytes: f64) -> String {
    let sign = if bytes < 0.0 { "-" } else { "" };
    let mut value = bytes.abs();
    let mut letter = None;
    for l in LETTERS {
        // 1023.95K and above would print as 1024.0K.
        if value < 1023.95 {
            break;
        }
        value /= 1024.0;
        letter = Some(l);
    }
    if bytes == 0.0 {
        return "0".into();
    }
    let Some(letter) = letter else { return format!("{sign}{value:.0} bytes") };
    let text = if value < 99.95 { format!("{value:.1}") } else { format!("{value:.0}") };
    format!("{sign}{}{letter}", text.strip_suffix(".0").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_every_tool_are_read() {
        let bytes = |t: &str| parse(t).map(|a| a.number);
        assert_eq!(bytes("512"), Some(512.0));
        assert_eq!(bytes("4.0K"), Some(4096.0));
        assert_eq!(bytes("4,5M"), Some(4.5 * 1048576.0));
        assert_eq!(bytes("1GiB"), Some(1073741824.0));
        assert_eq!(bytes("0B"), Some(0.0));
        assert_eq!(parse("7"), Some(Amount { number: 7.0, has_unit: false }));
        for bad in ["", "K", "-1", "1.2.3G", "12GG", "1:30", "4.2Gx", "٣"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn amounts_are_written_as_a_person_would() {
        assert_eq!((human(0.0), human(512.0)), ("0".into(), "512 bytes".into()));
        assert_eq!(human(4.2 * 1024f64.powi(3)), "4.2G");
        assert_eq!(human(20.0 * 1024f64.powi(3)), "20G");
        assert_eq!(human(739.0 * 1048576.0), "739M");
        assert_eq!(human(1048575.0), "1M");
    }
}
