//! The threads that talk to Linus come after the one that moves the session's bytes: whatever he sends, reading it must
//! not cost the user a keystroke's time on a busy machine.

/// By this much nicer than the session: a fifth of its share of a CPU that both want (sched(7)).
#[cfg(target_os = "linux")]
const NICER: nix::libc::c_int = 7;

/// Lowers the calling thread's priority. Where threads have none of their own, nothing happens.
pub(crate) fn to_the_session() {
    #[cfg(target_os = "linux")]
    {
        use nix::libc;
        // SAFETY: system calls with numbers only. On Linux 0 means the calling thread, and its value is per thread.
        // Getting -1 may be an error or a value: both are fine to start from.
        #[allow(unsafe_code)]
        unsafe {
            let now = libc::getpriority(libc::PRIO_PROCESS, 0);
            libc::setpriority(libc::PRIO_PROCESS, 0, now + NICER);
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn only_the_calling_thread_yields() {
        // Field 19 of proc(5)'s stat; the name in parentheses has blanks in it.
        let nice = || {
            let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
            let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
            fields[16].parse::<i32>().unwrap()
        };
        let before = nice();
        let within = std::thread::spawn(move || {
            super::to_the_session();
            nice()
        });
        assert_eq!(within.join().unwrap(), (before + super::NICER).min(19));
        assert_eq!(nice(), before);
    }
}
