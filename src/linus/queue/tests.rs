use super::*;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

const ORIGIN: &str = "https://linus.example:443";
const TARGET: &str = "joe@web1:22";

struct Bench(PathBuf);

impl Bench {
    fn new() -> Self {
        Self(nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-queue.XXXXXX")).expect("a folder"))
    }

    fn folder(&self) -> PathBuf {
        self.0.join("state/queue")
    }

    fn open(&self, name: &str) -> (Queue, Vec<Letter>) {
        self.of(ORIGIN, TARGET, name)
    }

    fn of(&self, origin: &str, target: &str, name: &str) -> (Queue, Vec<Letter>) {
        let (queue, letters, complaints) = Queue::open(&self.folder(), origin, target, name).expect("opens");
        assert_eq!(complaints, Vec::<String>::new());
        (queue, letters)
    }

    fn complaints(&self, name: &str) -> (Vec<Letter>, String) {
        let (_, letters, complaints) = Queue::open(&self.folder(), ORIGIN, TARGET, name).expect("opens");
        (letters, complaints.concat())
    }

    fn files(&self) -> Vec<PathBuf> {
        fs::read_dir(self.folder()).expect("listed").map(|entry| entry.expect("an entry").path()).collect()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn texts(letters: &[Letter]) -> Vec<(&str, bool)> {
    letters.iter().map(|letter| (letter.text.as_str(), letter.is_perhaps)).collect()
}

#[test]
fn what_waited_is_there_in_the_next_session_to_the_same_host_and_linus_and_in_no_other() {
    let bench = Bench::new();
    let (mut queue, letters) = bench.open("one");
    assert!(letters.is_empty());
    for (key, text) in [(1, "first"), (2, "second"), (3, "third")] {
        queue.append(key, Mark::Waiting, 10 + key, text).expect("kept");
    }
    queue.mark(2, Mark::InFlight).expect("marked");
    queue.mark(2, Mark::Gone).expect("marked");
    queue.mark(3, Mark::InFlight).expect("marked");
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(&bench.folder()), mode(&bench.files()[0])), (0o700, 0o600));
    // Killed: nothing was closed.
    drop(queue);
    for (origin, target) in
        [("https://other:443", TARGET), (ORIGIN, "root@web1:22"), (ORIGIN, "joe@web1:2222")]
    {
        assert!(bench.of(origin, target, "x").1.is_empty());
    }
    let (mut queue, letters) = bench.open("two");
    assert_eq!(texts(&letters), [("first", false), ("third", true)]);
    queue.mark(letters[0].key, Mark::Gone).expect("marked");
    queue.close();
    let (mut queue, letters) = bench.open("three");
    assert_eq!(texts(&letters), [("third", true)]);
    queue.mark(letters[0].key, Mark::Gone).expect("marked");
    assert!(bench.files().is_empty(), "a file with nothing in it goes at once");
    queue.close();
    assert!(bench.open("four").1.is_empty());
}

#[test]
fn no_two_windows_offer_the_same_and_a_living_ones_messages_are_nobodys() {
    let bench = Bench::new();
    let (mut one, _) = bench.open("one");
    one.append(1, Mark::Waiting, 1, "mine").expect("kept");
    let (mut two, letters) = bench.open("two");
    assert!(letters.is_empty(), "it is offered while its own session lives");
    two.append(1, Mark::Waiting, 2, "its").expect("kept");
    drop(one);
    let (three, letters) = bench.open("three");
    assert_eq!(texts(&letters), [("mine", false)]);
    drop(two);
    let (_four, letters) = bench.open("four");
    assert_eq!(texts(&letters), [("its", false)], "what three has is not offered again");
    three.close();
    assert_eq!(texts(&bench.open("five").1), [("mine", false)], "it was left undecided");
}

#[test]
fn a_file_of_ours_that_is_all_sent_takes_no_room() {
    let bench = Bench::new();
    let (mut queue, _) = bench.open("one");
    for key in 1..500 {
        queue.append(key, Mark::Waiting, 1, &"x".repeat(8 * 1024)).expect("kept");
        queue.mark(key, Mark::Gone).expect("marked");
    }
    assert!(fs::metadata(&bench.files()[0]).expect("there").len() < 1024);
    queue.close();
    assert!(bench.files().is_empty());
}

#[test]
fn a_full_file_takes_no_more_and_what_is_too_much_waits_for_its_turn() {
    let bench = Bench::new();
    let (mut queue, _) = bench.open("one");
    let message = "x".repeat(8 * 1024);
    let kept = (1..1000).take_while(|key| queue.append(*key, Mark::Waiting, 1, &message).is_ok()).count();
    assert!((100..130).contains(&kept), "{kept}");
    drop(queue);
    let (letters, complaint) = bench.complaints("two");
    assert!(letters.is_empty() && complaint.contains("waits until"), "{complaint}");
}

#[test]
fn files_that_are_not_ours_are_left_alone_and_named() {
    let bench = Bench::new();
    let (mut queue, _) = bench.open("one");
    queue.append(1, Mark::Waiting, 1, "mine").expect("kept");
    let path = bench.files()[0].clone();
    drop(queue);
    let good = fs::read(&path).expect("read");
    let change = |bytes: &[u8]| fs::write(&path, bytes).expect("written");
    for (bytes, wanted) in [
        (b"garbage\n".to_vec(), "not a queue"),
        (vec![b'x'; 3 * FILE_LIMIT as usize], "larger than"),
        (Vec::new(), "not a queue"),
    ] {
        change(&bytes);
        let (letters, complaint) = bench.complaints("two");
        assert!(letters.is_empty() && complaint.contains(wanted), "{complaint}");
        assert_eq!(fs::metadata(&path).expect("it stays").len(), bytes.len() as u64);
    }
    // Torn in its last record.
    change(&good);
    File::options()
        .append(true)
        .open(&path)
        .and_then(|mut f| f.write_all(b"w {\"at\":1,\"te"))
        .expect("torn");
    assert_eq!(texts(&bench.open("two").1), [("mine", false)]);
    fs::remove_file(&path).expect("removed");
    std::os::unix::fs::symlink("/etc/passwd", &path).expect("linked");
    assert!(bench.complaints("two").1.contains("Too many levels") || !bench.complaints("two").1.is_empty());
    fs::remove_file(&path).expect("removed");
    if nix::unistd::geteuid().is_root() {
        change(&good);
        std::os::unix::fs::chown(&path, Some(65534), None).expect("given away");
        let (letters, complaint) = bench.complaints("two");
        assert!(letters.is_empty() && complaint.contains("belongs to user 65534"), "{complaint}");
        std::os::unix::fs::chown(bench.folder(), Some(65534), None).expect("given away");
        assert!(Queue::open(&bench.folder(), ORIGIN, TARGET, "two").is_err());
    }
}
