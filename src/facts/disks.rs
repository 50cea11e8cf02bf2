//! `df`: blocks and inodes of file systems, with the columns by their headings (GNU, busybox, BSD, macOS).

use super::sections::Sections;

/// A file system of the host's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disk {
    pub mount: String,
    pub device: String,
    pub size_kib: u64,
    pub used_kib: u64,
    pub available_kib: u64,
    /// As df rounds it, up.
    pub percent: u8,
    /// Used inodes; `None` where there is no such number.
    pub inodes_percent: Option<u8>,
}

/// No more are kept.
const LIMIT: usize = 64;
/// Bytes of a name; longer mount points are cut.
const NAME: usize = 256;
/// What BSDs list and nobody fills.
const UNREAL: [&str; 6] = ["devfs", "procfs", "fdescfs", "linprocfs", "map", "kernfs"];

pub(super) fn read(sections: &Sections<'_>) -> Vec<Disk> {
    let inodes = Table::new(sections.lines("inodes"), &["IUse%", "%iused", "Capacity"]);
    let blocks = sections.lines("disks");
    let mut disks: Vec<Disk> = Vec::new();
    let Some(table) = Table::new(blocks, &["Capacity", "Use%"]) else { return disks };
    let inodes: Vec<Row<'_>> = inodes.map(|table| table.rows().collect()).unwrap_or_default();
    for row in table.rows().filter(|row| row.numbers.len() >= 3 && !UNREAL.contains(&row.device)) {
        // The same device again is a bind mount; the first is the shorter name as a rule.
        let is_again = |disk: &Disk| {
            disk.mount == row.mount || (row.device.starts_with('/') && disk.device == row.device)
        };
        if disks.len() >= LIMIT || disks.iter().any(is_again) {
            continue;
        }
        let of_inodes = inodes.iter().find(|other| (other.device, other.mount) == (row.device, row.mount));
        disks.push(Disk {
            mount: crate::text::cut(row.mount, NAME).to_owned(),
            device: crate::text::cut(row.device, NAME).to_owned(),
            size_kib: row.numbers[0],
            used_kib: row.numbers[1],
            available_kib: row.numbers[2],
            percent: row.percent,
            inodes_percent: of_inodes.map(|row| row.percent),
        });
    }
    disks
}

/// One output of df.
struct Table<'a> {
    /// Which column the percentage is in, and how many there are before the mount point.
    percent: usize,
    columns: usize,
    rows: &'a [&'a str],
}

struct Row<'a> {
    device: &'a str,
    /// The numbers before the percentage.
    numbers: Vec<u64>,
    percent: u8,
    mount: &'a str,
}

impl<'a> Table<'a> {
    fn new(lines: &'a [&'a str], percentages: &[&str]) -> Option<Self> {
        let (heading, rows) = lines.split_first()?;
        let columns = heading.strip_suffix("Mounted on").or_else(|| heading.strip_suffix("Mounted"))?;
        let names: Vec<&str> = columns.split_whitespace().collect();
        let percent = percentages.iter().find_map(|name| names.iter().position(|known| known == name))?;
        Some(Self { percent, columns: names.len(), rows })
    }

    fn rows(&self) -> impl Iterator<Item = Row<'a>> + '_ {
        self.rows.iter().filter_map(|line| self.row(line))
    }

    /// `None` for a row that is not of this form, as one with a blank in the device's name.
    fn row(&self, line: &'a str) -> Option<Row<'a>> {
        let (mut rest, mut words) = (line.trim_start(), Vec::new());
        for _ in 0..self.columns {
            let end = rest.find(char::is_whitespace)?;
            words.push(&rest[..end]);
            rest = rest[end..].trim_start();
        }
        let percent = words.get(self.percent)?.strip_suffix('%')?.parse().ok()?;
        let numbers = words[1..self.percent].iter().map(|word| word.parse().ok());
        let numbers: Vec<u64> = numbers.map_while(|number| number).collect();
        let is_mount = rest.starts_with('/');
        is_mount.then(|| Row { device: words[0], numbers, percent, mount: rest.trim_end() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disks(blocks: &str, inodes: &str) -> Vec<(String, u8, Option<u8>)> {
        let answer = format!("B disks\n{blocks}\nB inodes\n{inodes}\nB end\n");
        let sections = Sections::read(&answer, "B").unwrap();
        read(&sections).into_iter().map(|d| (d.mount, d.percent, d.inodes_percent)).collect()
    }

    #[test]
    fn gnu_and_busybox_tables_are_read_and_a_bind_mount_is_no_second_disk() {
        let gnu = disks(
            "Filesystem     1024-blocks     Used Available Capacity Mounted on\n/dev/vda  100 55 45 56% /\n\
             /dev/vda  100 55 45 56% /run/netns\ntmpfs 10 0 10 0% /a b",
            "Filesystem       Inodes  IUsed    IFree IUse% Mounted on\n/dev/vda 10 3 7 30% /\ntmpfs 5 1 4 - /a b",
        );
        assert_eq!(gnu, [("/".into(), 56, Some(30)), ("/a b".into(), 0, None)]);
        let busybox = disks(
            "Filesystem           1024-blocks    Used Available Capacity Mounted on\n/dev/vda 100 55 45 55% /",
            "Filesystem              Inodes      Used Available Capacity Mounted on\n/dev/vda 9 3 6 3% /",
        );
        assert_eq!(busybox, [("/".into(), 55, Some(3))]);
    }

    #[test]
    fn what_is_no_row_is_left_out() {
        let hostile = "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/a 1 2\n\n/dev/b 1 2 3 300% /b\n\
                       /dev/c x y z 5% /c\n/dev/d 1 2 3 4% relative\nmap auto_home 0 0 0 100% /home\n/dev/e 9 9 0 100% /e";
        assert_eq!(disks(hostile, ""), [("/e".into(), 100, None)]);
        assert!(disks("nonsense", "more").is_empty() && disks("", "").is_empty());
    }
}
