//! `docker system df`.

use super::Source;
use crate::builtin::facts::Row;

const KINDS: [(&str, &str); 4] = [
    ("Images", "images"),
    ("Containers", "containers"),
    ("Local Volumes", "volumes"),
    ("Build Cache", "cache"),
];

pub(super) fn read(source: &Source<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut inside = false;
    for line in source.lines() {
        if line.starts_with("TYPE") && line.contains("RECLAIMABLE") {
            inside = true;
        } else if inside {
            match row(line) {
                Some(row) => rows.push(row),
                None => inside = false,
            }
        }
    }
    rows
}

fn row(line: &str) -> Option<Row> {
    let (name, kind) = KINDS.iter().find(|(name, _)| line.starts_with(name))?;
    // TOTAL ACTIVE SIZE RECLAIMABLE, the last with a percentage behind it except for the build cache.
    let mut words = line.get(name.len()..)?.split_whitespace().skip(2);
    let (size, reclaimable) = (decimal(words.next()?)?, decimal(words.next()?)?);
    Some(
        Row::new(line)
            .with_text("kind", *kind)
            .with_bytes("bytes", size)
            .with_bytes("reclaimable", reclaimable),
    )
}

/// Docker's sizes are powers of 1000: `12.5kB`, `1.2GB`, `0B`.
fn decimal(text: &str) -> Option<f64> {
    let at = text.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
    let (number, unit) = text.split_at(at);
    let power = ["B", "kB", "MB", "GB", "TB"].iter().position(|u| *u == unit)?;
    Some(number.parse::<f64>().ok()? * 1000f64.powi(i32::try_from(power).ok()?))
}

#[cfg(test)]
mod tests {
    use super::super::{Reader, fixture};

    #[test]
    fn reclaimable_space_is_read_by_kind() {
        // From documentation: docs.docker.com, "docker system df".
        let text = "TYPE                TOTAL               ACTIVE              SIZE                RECLAIMABLE\n\
                    Images              5                   2                   16.43 MB            11.63 MB (70%)\n";
        assert!(
            fixture::rows(Reader::DockerDf, text, None).is_empty(),
            "old versions put a blank before the unit"
        );
        let text = "TYPE            TOTAL     ACTIVE    SIZE      RECLAIMABLE\n\
                    Images          5         2         16.43MB   11.63MB (70%)\nBuild Cache     0         0         0B        0B\n";
        let rows = fixture::rows(Reader::DockerDf, text, None);
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].number("reclaimable"), Some(11.63e6));
    }
}
