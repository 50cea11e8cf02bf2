use super::*;

fn sample(body: &str) -> Sample {
    Sample::read(format!("banner\n\nB system\nweb1\nLinux\n6.1\nx86_64\n{body}\n\nB end\n").as_bytes(), "B")
        .unwrap()
}

#[test]
fn a_linux_is_read() {
    let read = sample(
        "B cpus\n2\nB load\n0.50 0.25 0.10 1/94 8944\nB uptime\n3600.97 1.0\nB memory\nMemTotal: 1000 kB\n\
         MemFree: 1 kB\nMemAvailable: 250 kB\nSwapTotal: 100 kB\nSwapFree: 40 kB\nB count\n78\n\
         B cpu\ncpu  100 0 100 700 100 0 0 0 0 0\nB cpu2\ncpu  130 0 120 740 110 0 0 0 0 0",
    );
    assert_eq!((read.host.as_str(), read.system.as_str()), ("web1", "Linux 6.1 x86_64"));
    assert_eq!((read.cpus, read.load, read.uptime_s), (Some(2), Some([0.5, 0.25, 0.1]), Some(3600)));
    assert_eq!((read.cpu, read.process_count), (Some(50.0), Some(78)));
    assert_eq!(read.memory.map(|m| (m.percent(), m.swap_percent())), Some((75.0, 60.0)));
    assert_eq!(read.processes, None);
}

#[test]
fn an_old_kernel_does_not_say_what_is_available() {
    let read = sample("B memory\nMemTotal: 1000 kB\nMemFree: 100 kB\nBuffers: 50 kB\nCached: 50 kB");
    assert_eq!(read.memory.map(|m| m.percent()), Some(80.0));
}

/// In the forms of sysctl(8), vm_stat(1) and df(1) of these systems; they were not tried there.
#[test]
fn bsd_and_macos_are_read_as_their_manuals_have_them() {
    let freebsd = sample(
        "B clock\n1700003600\nB sysctl hw.ncpu\n4\nB sysctl vm.loadavg\n{ 0.50 0.25 0.10 }\n\
         B sysctl kern.boottime\n{ sec = 1700000000, usec = 83472 } Tue Nov 14 22:13:20 2023\n\
         B sysctl hw.pagesize\n4096\nB sysctl kern.cp_time\n100 0 50 10 840\n\
         B sysctl vm.stats.vm.v_page_count\n1000\nB sysctl vm.stats.vm.v_free_count\n100\n\
         B sysctl vm.stats.vm.v_inactive_count\n300\nB sysctl vm.stats.vm.v_laundry_count\n100\n\
         B disks\nFilesystem 1024-blocks Used Avail Capacity  Mounted on\nzroot/ROOT/default 100 40 60 40% /\n\
         devfs 1 1 0 100% /dev\nB inodes\n\
         Filesystem 1024-blocks Used Avail Capacity iused ifree %iused  Mounted on\n\
         zroot/ROOT/default 100 40 60 40% 7 93 7% /",
    );
    assert_eq!((freebsd.cpus, freebsd.load, freebsd.uptime_s), (Some(4), Some([0.5, 0.25, 0.1]), Some(3600)));
    assert_eq!(freebsd.memory.map(|m| (m.total_kib, m.percent())), Some((4000, 50.0)));
    assert_eq!(
        freebsd.disks.iter().map(|d| (d.percent, d.inodes_percent)).collect::<Vec<_>>(),
        [(40, Some(7))]
    );
    let mut later = freebsd.clone();
    later.counters = Some(Counters { busy: 210.0, total: 1100.0 });
    let since = later.counters.unwrap().since(&freebsd.counters.unwrap());
    assert_eq!(since, Some(50.0));
    let macos = sample(
        "B sysctl hw.memsize\n17179869184\nB sysctl hw.pagesize\n16384\n\
         B sysctl vm.swapusage\ntotal = 2048.00M  used = 1024.00M  free = 1024.00M  (encrypted)\n\
         B vm_stat\nMach Virtual Memory Statistics: (page size of 16384 bytes)\nPages free:  262144.\n\
         Pages active:  1.\nPages inactive:  131072.\nPages speculative:  131072.",
    );
    assert_eq!(macos.memory.map(|m| (m.percent(), m.swap_percent())), Some((50.0, 50.0)));
}

#[test]
fn what_is_not_said_is_none_and_nothing_panics() {
    let empty = sample("");
    assert_eq!(Sample { host: "web1".into(), system: "Linux 6.1 x86_64".into(), ..Sample::default() }, empty);
    let odd = sample(
        "B cpus\n0\nB load\nnan inf 1\nB uptime\n-5\nB memory\nMemTotal: 99999999999999999999 kB\nMemAvailable: x\n\
         B cpu\ncpu  1 2\nB cpu2\ncpu  inf 1 2 3\nB count\n-1\nB disks\nB inodes\nB processes\nB ticks\n1",
    );
    assert_eq!((odd.cpus, odd.load, odd.cpu, odd.memory, odd.process_count), (None, None, None, None, None));
    assert!(Sample::read(b"", "B").is_err() && Sample::read(b"\nB end\n", "B").is_err());
}

#[test]
fn counters_that_run_backwards_tell_nothing() {
    let before = Counters { busy: 50.0, total: 100.0 };
    let restarted = Counters { busy: 5.0, total: 10.0 };
    let forged = Counters { busy: 500.0, total: 110.0 };
    assert_eq!((restarted.since(&before), forged.since(&before)), (None, None));
}

#[test]
fn everything_that_the_remote_chose_is_cleaned() {
    let read = sample(
        "B disks\nFilesystem 1024-blocks Used Available Capacity Mounted on\n/dev/a 1 1 1 5% /\x1b[2Jsecret\n\
         B processes\nPID PPID USER STAT %CPU RSS COMMAND\n1 0 ro\x1bot S 1 1 run --secret \x07",
    );
    let clean = read.cleaned(|text| text.replace("secret", "‹x›"));
    assert_eq!(clean.disks[0].mount, "/␛[2J‹x›");
    let process = &clean.processes.unwrap()[0];
    assert_eq!((process.command.as_str(), process.user.as_str()), ("run --‹x› ␇", "ro␛ot"));
}
