//! `ps`, with the columns by their headings, and the processor time between two looks at the counters.

use std::collections::HashMap;

use super::sections::Sections;

/// One process.
#[derive(Debug, Clone, PartialEq)]
pub struct Process {
    pub pid: u32,
    pub ppid: Option<u32>,
    pub user: String,
    pub state: String,
    /// Of one processor, now where that was measured, else as ps has it: over its whole life.
    pub cpu: Option<f64>,
    pub rss_kib: Option<u64>,
    /// The command line; the host cuts it.
    pub command: String,
}

impl Process {
    /// What it is called: the program's name without its folder.
    pub fn name(&self) -> &str {
        let word = self.command.split_whitespace().next().unwrap_or_default();
        // `sshd: joe@pts/0` and `[kworker/0:1]` are no paths.
        if word.starts_with('/') {
            word.rsplit('/').next().unwrap_or(word)
        } else {
            word.trim_end_matches(':')
        }
    }
}

/// The host prints no more.
const LIMIT: usize = 1000;

/// `None` where the answer has no processes. `share` are the clock ticks of one processor between the two looks.
pub(super) fn read(sections: &Sections<'_>, share: Option<f64>) -> Option<Vec<Process>> {
    if !sections.has("processes") {
        return None;
    }
    let (heading, rows) = sections.lines("processes").split_first()?;
    let columns = Columns::new(heading)?;
    let mut processes: Vec<Process> = rows.iter().take(LIMIT).filter_map(|row| columns.read(row)).collect();
    if let Some(share) = share {
        let (before, after) = (ticks(sections, "ticks"), ticks(sections, "ticks2"));
        for process in &mut processes {
            let used = |(before, after): (&u64, &u64)| after.saturating_sub(*before) as f64;
            let both = before.get(&process.pid).zip(after.get(&process.pid));
            process.cpu = both.map(|both| round(used(both) / share * 100.0)).or(process.cpu);
        }
    }
    Some(processes)
}

fn round(percent: f64) -> f64 {
    (percent * 10.0).round() / 10.0
}

/// Processor time by process. A number that comes twice is nobody's: a name with a line end in it could forge one.
fn ticks(sections: &Sections<'_>, name: &str) -> HashMap<u32, u64> {
    let mut ticks: HashMap<u32, Option<u64>> = HashMap::new();
    for line in sections.lines(name) {
        let mut words = line.split(' ').map(str::parse::<u64>);
        if let (Some(Ok(pid)), Some(Ok(user)), Some(Ok(system))) = (words.next(), words.next(), words.next())
            && let Ok(pid) = u32::try_from(pid)
        {
            let sum = user.saturating_add(system);
            ticks.entry(pid).and_modify(|known| *known = None).or_insert(Some(sum));
        }
    }
    ticks.into_iter().filter_map(|(pid, ticks)| Some((pid, ticks?))).collect()
}

/// Where each column is; the command is the last and goes to the end of the line.
struct Columns<'a>(Vec<&'a str>);

impl<'a> Columns<'a> {
    fn new(heading: &'a str) -> Option<Self> {
        let names: Vec<&str> = heading.split_whitespace().collect();
        let has_command = names.last().is_some_and(|last| ["COMMAND", "CMD", "ARGS"].contains(last));
        (has_command && names.contains(&"PID")).then_some(Self(names))
    }

    fn read(&self, line: &str) -> Option<Process> {
        let (mut rest, mut words) = (line.trim_start(), HashMap::new());
        for name in &self.0[..self.0.len() - 1] {
            let (word, after) = rest.split_once(char::is_whitespace)?;
            words.insert(*name, word);
            rest = after.trim_start();
        }
        let word = |names: &[&str]| names.iter().find_map(|name| words.get(name).copied());
        let text = |names: &[&str]| word(names).unwrap_or_default().to_owned();
        Some(Process {
            pid: word(&["PID"])?.parse().ok()?,
            ppid: word(&["PPID"]).map(str::parse).transpose().ok()?,
            user: text(&["USER", "UID"]),
            state: text(&["STAT", "S"]),
            cpu: word(&["%CPU"]).and_then(|cpu| cpu.parse().ok()).filter(|cpu: &f64| cpu.is_finite()),
            rss_kib: word(&["RSS"]).and_then(kib),
            command: rest.trim_end().to_owned(),
        })
    }
}

/// `4340`, or as busybox shortens it: `17m`, `1.2g`.
fn kib(word: &str) -> Option<u64> {
    let factor = match word.chars().last()? {
        'm' => 1024.0,
        'g' => 1024.0 * 1024.0,
        't' => 1024.0 * 1024.0 * 1024.0,
        _ => return word.parse().ok(),
    };
    let number: f64 = word[..word.len() - 1].parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some((number * factor) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn processes(body: &str, share: Option<f64>) -> Vec<Process> {
        let answer = format!("B processes\n{body}\nB end\n");
        read(&Sections::read(&answer, "B").unwrap(), share).unwrap_or_default()
    }

    #[test]
    fn the_forms_of_procps_and_of_busybox_are_read() {
        let procps = "  PID  PPID USER     STAT %CPU   RSS COMMAND\n    1     0 root     S<Ll  0.5 18080 /sbin/init  a b";
        let first = &processes(procps, None)[0];
        assert_eq!((first.pid, first.ppid, first.rss_kib, first.cpu), (1, Some(0), Some(18080), Some(0.5)));
        assert_eq!(
            (first.name(), first.command.as_str(), first.state.as_str()),
            ("init", "/sbin/init  a b", "S<Ll")
        );
        let busybox = "PID   PPID  USER     STAT RSS  COMMAND\n    1     0 root     S<    17m /init x\n 2 0 root SW 0 [kthreadd]";
        let rss: Vec<_> = processes(busybox, None).iter().map(|p| (p.pid, p.rss_kib, p.cpu)).collect();
        assert_eq!(rss, [(1, Some(17408), None), (2, Some(0), None)]);
        let small = "PID USER VSZ STAT COMMAND\n 7 root 1200 S {sh} /bin/sh";
        assert_eq!(
            (processes(small, None)[0].ppid, processes(small, None)[0].command.as_str()),
            (None, "{sh} /bin/sh")
        );
    }

    #[test]
    fn processor_time_is_that_between_the_looks_and_a_forged_line_counts_for_nobody() {
        let body = "PID PPID USER STAT %CPU RSS COMMAND\n1 0 root S 50.0 1 a\n2 1 root S 60.0 1 b\n3 1 root S 70.0 1 c\n\
                    B ticks\n1 10 10\n2 5 5\n2 900 0\nB ticks2\n1 15 15\n2 6 6\n3 x 1";
        let cpu: Vec<_> = processes(body, Some(20.0)).iter().map(|p| p.cpu).collect();
        assert_eq!(cpu, [Some(50.0), Some(60.0), Some(70.0)]);
    }

    #[test]
    fn what_is_no_process_is_left_out() {
        let body = "PID PPID USER STAT %CPU RSS COMMAND\nx 0 root S 1 1 a\n1\n\n-1 0 r S 1 1 a\n9 y r S 1 1 a\n8 1 r S inf 1e9 ok";
        let read: Vec<_> = processes(body, None).into_iter().map(|p| (p.pid, p.cpu, p.rss_kib)).collect();
        assert_eq!(read, [(8, None, None)]);
        assert!(processes("nothing of ps", None).is_empty());
    }
}
