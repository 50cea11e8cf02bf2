use super::*;

fn sample(cpu: &[u64; 4], disk: u8) -> Sample {
    let [user, nice, system, idle] = cpu;
    let answer = format!(
        "\nB system\nweb1\nB load\n0.50 0 0\nB memory\nMemTotal: 100 kB\nMemAvailable: 60 kB\n\
         B cpu\ncpu  {user} {nice} {system} {idle}\nB disks\n\
         Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/a 9 9 9 {disk}% /var\nB end\n"
    );
    Sample::read(answer.as_bytes(), "B").unwrap()
}

fn told(crossings: &[Crossing]) -> Vec<String> {
    crossings.iter().map(ToString::to_string).collect()
}

#[test]
fn an_alert_is_said_once_until_the_value_has_clearly_fallen() {
    let (mut watcher, now) = (Watcher::default(), Instant::now());
    let mut at = |disk: u8| told(&watcher.note(sample(&[0, 0, 0, 1], disk), now));
    assert_eq!(at(89), Vec::<String>::new());
    assert_eq!(at(90), ["disk /var 90 % (threshold 90 %)"]);
    assert!([95, 90, 89, 90, 86].into_iter().all(|disk| at(disk).is_empty()));
    assert_eq!(at(85), ["again below: disk /var 85 % (threshold 90 %)"]);
    assert_eq!(at(91).len(), 1);
    assert_eq!((watcher.alerts().count(), watcher.counts()), (1, (2, 9)));
}

#[test]
fn a_threshold_of_one_percent_is_crossed_once() {
    let mut watcher = Watcher::default();
    watcher.settings.thresholds = Thresholds { cpu: 100, memory: 1, disk: 100 };
    let now = Instant::now();
    assert_eq!(told(&watcher.note(sample(&[0, 0, 0, 1], 5), now)), ["memory 40 % (threshold 1 %)"]);
    assert!((0..100).all(|_| watcher.note(sample(&[0, 0, 0, 1], 5), now).is_empty()));
}

#[test]
fn the_processor_is_measured_between_two_probes() {
    let (mut watcher, now) = (Watcher::default(), Instant::now());
    assert!(watcher.needs_pause(now));
    watcher.note(sample(&[100, 0, 0, 100], 5), now);
    assert_eq!(watcher.summary().unwrap().0.cpu, None);
    assert!(!watcher.needs_pause(now));
    let crossed = told(&watcher.note(sample(&[196, 0, 0, 104], 5), now + Duration::from_secs(10)));
    assert_eq!(crossed, ["cpu 96 % (threshold 90 %)"]);
    // Long ago.
    assert!(watcher.needs_pause(now + Duration::from_secs(400)));
}

#[test]
fn the_line_is_short_and_tells_its_age() {
    let (mut watcher, now) = (Watcher::default(), Instant::now());
    assert_eq!(watcher.line(now), None);
    watcher.note(sample(&[0, 0, 0, 1], 97), now);
    assert_eq!(watcher.line(now).as_deref(), Some("load 0.50 mem 40% /var 97% now"));
    let later = watcher.line(now + Duration::from_secs(47)).unwrap();
    assert!(later.ends_with(" 40s"), "{later}");
    watcher.forget();
    assert_eq!((watcher.line(now), watcher.counts()), (None, (1, 1)));
}

#[test]
fn a_host_with_a_thousand_full_disks_raises_a_bounded_number_of_alerts() {
    let mut full = sample(&[0, 0, 0, 1], 99);
    full.disks =
        (0..1000).map(|n| super::super::Disk { mount: format!("/{n}"), ..full.disks[0].clone() }).collect();
    assert_eq!(Watcher::default().note(full, Instant::now()).len(), ALERTS);
}
