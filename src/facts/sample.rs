//! What a host said of itself at one moment. What it did not say is `None`, never 0.

use super::disks::{self, Disk};
use super::processes::{self, Process};
use super::sections::{Garbled, Sections};
use crate::text::{cut, visible};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sample {
    /// `uname -n`.
    pub host: String,
    /// `Linux 6.1.0 x86_64`.
    pub system: String,
    pub cpus: Option<u32>,
    /// Over 1, 5 and 15 minutes.
    pub load: Option<[f64; 3]>,
    pub uptime_s: Option<u64>,
    /// The last counters, for the next sample, and the share of busy time between the two of this one.
    pub(super) counters: Option<Counters>,
    pub cpu: Option<f64>,
    pub memory: Option<Memory>,
    pub disks: Vec<Disk>,
    pub process_count: Option<u64>,
    /// `None` where they were not asked for.
    pub processes: Option<Vec<Process>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    pub total_kib: u64,
    pub available_kib: u64,
    pub swap_total_kib: u64,
    pub swap_free_kib: u64,
}

impl Memory {
    /// Used, with what the kernel would give up not counted as used.
    pub fn percent(&self) -> f64 {
        percent(self.total_kib.saturating_sub(self.available_kib), self.total_kib)
    }

    pub fn swap_percent(&self) -> f64 {
        percent(self.swap_total_kib.saturating_sub(self.swap_free_kib), self.swap_total_kib)
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 * 100.0 }
}

/// Clock ticks of all processors together since the host has started.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Counters {
    busy: f64,
    total: f64,
}

impl Counters {
    /// `cpu user nice system idle iowait irq softirq steal …`, or the five of a BSD.
    fn read(sections: &Sections<'_>, name: &str) -> Option<Self> {
        let line = sections.first(name)?.strip_prefix("cpu ")?;
        // Guests are counted among the users already.
        let ticks: Vec<f64> = line.split_whitespace().map_while(|word| word.parse().ok()).take(8).collect();
        (ticks.len() >= 4 && ticks.iter().all(|n| n.is_finite())).then(|| {
            let total: f64 = ticks.iter().sum();
            Self { busy: total - ticks[3] - ticks.get(4).unwrap_or(&0.0), total }
        })
    }

    fn of_bsd(sections: &Sections<'_>) -> Option<Self> {
        let ticks = sections.numbers("sysctl kern.cp_time");
        let idle = *ticks.get(4)?;
        let total: f64 = ticks.iter().sum();
        Some(Self { busy: total - idle, total })
    }

    /// The busy share of the time since, in percent.
    pub(super) fn since(&self, before: &Self) -> Option<f64> {
        let (busy, total) = (self.busy - before.busy, self.total - before.total);
        (total > 0.0 && (0.0..=total).contains(&busy)).then(|| busy / total * 100.0)
    }
}

impl Sample {
    /// Reads an answer to the probe with this boundary.
    pub fn read(answer: &[u8], boundary: &str) -> Result<Self, Garbled> {
        let answer = String::from_utf8_lossy(answer);
        let sections = Sections::read(&answer, boundary)?;
        let system = sections.lines("system");
        let Some((host, rest)) = system.split_first() else { return Err(Garbled) };
        let counters = Counters::read(&sections, "cpu");
        let later = Counters::read(&sections, "cpu2");
        let cpus = sections.number("cpus").or_else(|| sections.number("sysctl hw.ncpu"));
        let cpus = cpus.and_then(|cpus| u32::try_from(cpus).ok()).filter(|cpus| *cpus > 0);
        let ticks = counters.zip(later).map(|(before, after)| after.total - before.total);
        let share = ticks.zip(cpus).map(|(ticks, cpus)| ticks / f64::from(cpus)).filter(|share| *share > 0.0);
        Ok(Self {
            host: short(host),
            system: short(&rest.join(" ")),
            cpus,
            load: load(&sections),
            uptime_s: uptime(&sections),
            cpu: counters.zip(later).and_then(|(before, after)| after.since(&before)),
            counters: later.or(counters).or_else(|| Counters::of_bsd(&sections)),
            memory: memory(&sections),
            disks: disks::read(&sections),
            process_count: sections.number("count"),
            processes: processes::read(&sections, share),
        })
    }

    /// Everything that the remote may have chosen freely goes through `redact`, and none of it can draw.
    pub fn cleaned(mut self, mut redact: impl FnMut(&str) -> String) -> Self {
        let mut clean = |text: &mut String| *text = redact(&visible(text));
        [&mut self.host, &mut self.system].into_iter().for_each(&mut clean);
        self.disks.iter_mut().flat_map(|disk| [&mut disk.mount, &mut disk.device]).for_each(&mut clean);
        let processes = self.processes.iter_mut().flatten();
        processes.flat_map(|p| [&mut p.command, &mut p.user, &mut p.state]).for_each(&mut clean);
        self
    }

    /// The fullest of the file systems.
    pub fn fullest(&self) -> Option<&Disk> {
        self.disks.iter().max_by_key(|disk| disk.percent)
    }
}

fn short(text: &str) -> String {
    cut(text, 200).to_owned()
}

/// `0.10 0.20 0.30 1/94 8944`, or `{ 0.10 0.20 0.30 }`.
fn load(sections: &Sections<'_>) -> Option<[f64; 3]> {
    let line = sections.first("load").or_else(|| sections.first("sysctl vm.loadavg"))?;
    let mut words = line.trim_start_matches(['{', ' ']).split_whitespace().map(str::parse::<f64>);
    let mut next = || words.next()?.ok().filter(|n| n.is_finite());
    Some([next()?, next()?, next()?])
}

/// Seconds; on a BSD the time since `{ sec = 1700000000, usec = 0 } Tue …`.
fn uptime(sections: &Sections<'_>) -> Option<u64> {
    if let Some(seconds) = sections.numbers("uptime").first() {
        return Some(*seconds as u64);
    }
    let boot = sections.first("sysctl kern.boottime")?;
    let begun = boot.split_once("sec = ").map_or(boot, |(_, rest)| rest);
    let digits: String = begun.chars().take_while(char::is_ascii_digit).collect();
    sections.number("clock")?.checked_sub(digits.parse().ok()?)
}

fn memory(sections: &Sections<'_>) -> Option<Memory> {
    of_linux(sections).or_else(|| of_freebsd(sections)).or_else(|| of_macos(sections))
}

/// `MemTotal: 1024 kB`. Kernels before 3.14 do not say what is available.
fn of_linux(sections: &Sections<'_>) -> Option<Memory> {
    let lines = sections.lines("memory");
    let get = |name: &str| {
        let rest = lines.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        rest.split_whitespace().next()?.parse::<u64>().ok()
    };
    let free = || Some(get("MemFree")?.saturating_add(get("Buffers")?).saturating_add(get("Cached")?));
    Some(Memory {
        total_kib: get("MemTotal")?,
        available_kib: get("MemAvailable").or_else(free)?,
        swap_total_kib: get("SwapTotal").unwrap_or(0),
        swap_free_kib: get("SwapFree").unwrap_or(0),
    })
}

/// Pages: what is free, inactive, in the laundry or cached can be had.
fn of_freebsd(sections: &Sections<'_>) -> Option<Memory> {
    let pages = |name: &str| sections.number(&format!("sysctl vm.stats.vm.{name}"));
    let kib = |pages: u64| Some(pages.saturating_mul(sections.number("sysctl hw.pagesize")?) / 1024);
    let had = ["v_inactive_count", "v_laundry_count", "v_cache_count"].into_iter().filter_map(pages);
    let available = had.fold(pages("v_free_count")?, u64::saturating_add);
    Some(Memory {
        total_kib: kib(pages("v_page_count")?)?,
        available_kib: kib(available)?,
        swap_total_kib: 0,
        swap_free_kib: 0,
    })
}

/// `vm_stat`, and `total = 2048.00M  used = 1024.00M  free = 1024.00M` for the swap.
fn of_macos(sections: &Sections<'_>) -> Option<Memory> {
    let lines = sections.lines("vm_stat");
    let pages = |name: &str| {
        let rest = lines.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        rest.trim().trim_end_matches('.').parse::<u64>().ok()
    };
    let page = sections.number("sysctl hw.pagesize")?;
    let had = ["Pages inactive", "Pages speculative", "Pages purgeable"].into_iter().filter_map(pages);
    let available = had.fold(pages("Pages free")?, u64::saturating_add);
    let swap = sections.first("sysctl vm.swapusage").unwrap_or_default();
    let megabytes = |name: &str| {
        let rest = swap.split_once(name)?.1.trim_start_matches([' ', '=']);
        let number = rest.split('M').next()?.parse::<f64>().ok()?;
        Some((number.max(0.0) * 1024.0) as u64)
    };
    Some(Memory {
        total_kib: sections.number("sysctl hw.memsize")? / 1024,
        available_kib: available.saturating_mul(page) / 1024,
        swap_total_kib: megabytes("total").unwrap_or(0),
        swap_free_kib: megabytes("free").unwrap_or(0),
    })
}

#[cfg(test)]
mod tests;
