//! Starting a program that outlives its start, and maybe aissh: the user's browser, a renewal.
//!
//! As alone as any helper, but with no pipes: it has nothing to say, and nobody would read it.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::thread::Builder;

use super::{Helper, HelperError};

impl Helper {
    /// Starts it. `ended` is called with how it ended, in a thread of its own, if this process lives to see it.
    pub fn launch(
        &self,
        ended: impl FnOnce(io::Result<ExitStatus>) + Send + 'static,
    ) -> Result<(), HelperError> {
        let mut command = self.command();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let failed = |e: io::Error| HelperError::Start { program: self.program().into(), why: e.to_string() };
        let mut child = command.spawn().map_err(failed)?;
        // Without a thread it is not reaped before this process ends, and nobody learns of its end.
        let watch = Builder::new().name("helper".into()).spawn(move || ended(child.wait()));
        watch.map(drop).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn what_is_launched_has_no_terminal_no_pipes_and_a_session_of_its_own() {
        let dir = nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-launch.XXXXXX")).unwrap();
        let told = dir.join("told");
        let script = format!(
            "exec 9> {}; readlink /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 >&9; \
             ps -o sid= -p $$ >&9; echo $$ >&9; exit 7",
            told.display()
        );
        let argv = ["sh", "-c", &script].map(str::to_owned);
        let (tx, rx) = channel();
        let ended = move |status: io::Result<ExitStatus>| tx.send(status.unwrap().code()).unwrap();
        Helper::new(&argv, &[]).unwrap().launch(ended).unwrap();
        assert_eq!(rx.recv_timeout(Duration::from_secs(20)), Ok(Some(7)));
        let text = std::fs::read_to_string(&told).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!((lines[0], lines[2]), ("/dev/null", "/dev/null"), "{text}");
        assert_eq!(lines[3], lines[4], "its session is its own: {text}");
        std::fs::remove_dir_all(dir).unwrap();
        assert!(Helper::new(&["/nonexistent".into()], &[]).unwrap().launch(|_| ()).is_err());
    }
}
