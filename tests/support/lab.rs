//! A throwaway sshd on loopback with its own keys, configuration and HOME, one or more for each test.
//!
//! The recipe is `scripts/lib/lab.sh`, which the demo uses too; this file owns the port and the life of the
//! server. The server ends with the `Lab`: its supervisor reads a pipe that this process holds, so a panic or
//! even SIGKILL of the test ends sshd and its sessions as well. Nothing outside the directory is changed.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use super::DEADLINE;

/// Another process may take the port between our look and sshd's bind. More than a few such losses in a row
/// mean that something else is wrong, and the log says what.
const PORT_ATTEMPTS: usize = 5;

const RECIPE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/lib/lab.sh");

/// What sshd logs once it listens.
const READY: &str = "Server listening on";

pub(crate) struct Lab {
    dir: PathBuf,
    port: u16,
    account: Option<Account>,
    server: Child,
    log: Arc<Log>,
}

/// Made for one sshd and removed with it.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    pub(crate) user: String,
    pub(crate) password: String,
}

#[derive(Default)]
pub(crate) struct Builder {
    env: Vec<(String, String)>,
    options: Vec<String>,
    /// Mounts and fills a /var that only the sessions see (`LAB_VAR`).
    var: Option<PathBuf>,
    account: Option<Account>,
    wrapper: Vec<String>,
    sudoer: bool,
}

impl Builder {
    /// The remote bash also sends OSC 133 (prompt, command, exit status) and OSC 7 (directory).
    pub(crate) fn marks(self) -> Self {
        self.recipe("LAB_MARKS", "1")
    }

    /// The remote prompt as bash's PS1.
    pub(crate) fn prompt(self, ps1: &str) -> Self {
        self.recipe("LAB_PROMPT", ps1)
    }

    /// The sessions have a small /var of their own, and it is full. Needs a system that allows mounts.
    pub(crate) fn full_var(mut self) -> Self {
        self.var = Some(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/lib/demo-var").into());
        self
    }

    /// `script mount` is run in a mount namespace that only the sessions see. Needs a system that allows mounts.
    pub(crate) fn mounts(mut self, script: PathBuf) -> Self {
        self.var = Some(script);
        self
    }

    /// A line of sshd_config. It goes first, and with sshd the first value wins.
    pub(crate) fn sshd_option(mut self, line: &str) -> Self {
        self.options.push(line.to_owned());
        self
    }

    /// With an account that is let in by a password. Only root can make one; others get a lab without.
    pub(crate) fn account(mut self) -> Self {
        if nix::unistd::geteuid().is_root() {
            let random = || RandomState::new().build_hasher().finish();
            let account = Account {
                user: format!("aissh{:08x}", random() as u32),
                password: format!("{:x}", random()),
            };
            self.account = Some(account);
        }
        self
    }

    /// Its sshd is started by this program, which becomes it.
    pub(crate) fn inside(mut self, wrapper: Vec<String>) -> Self {
        self.wrapper = wrapper;
        self
    }

    /// The account may use sudo, by its password.
    pub(crate) fn sudoer(mut self) -> Self {
        self.sudoer = true;
        self.account()
    }

    pub(crate) fn start(self) -> Lab {
        let template = std::env::temp_dir().join("aissh-lab.XXXXXX");
        let dir = nix::unistd::mkdtemp(&template).expect("make the lab's directory");
        let mut logged = String::new();
        for _ in 0..PORT_ATTEMPTS {
            let port = free_port();
            self.write(&dir, port);
            let (server, log) = self.serve(&dir);
            if log.wait_for(READY) {
                welcomed(&dir);
                return Lab { dir, port, account: self.account, server, log };
            }
            end(server);
            logged = log.text();
            if !logged.contains("Address already in use") {
                break;
            }
        }
        panic!("sshd did not start in {}; it said:\n{logged}", dir.display());
    }

    fn serve(&self, dir: &Path) -> (Child, Arc<Log>) {
        let account = self.account.as_ref().map(|a| [("LAB_USER", &a.user), ("LAB_PASSWORD", &a.password)]);
        let words = [self.wrapper.clone(), ["bash", RECIPE, "serve"].map(str::to_owned).into()].concat();
        let mut server = Command::new(&words[0])
            .args(&words[1..])
            .arg(dir)
            .envs(self.var.iter().map(|script| ("LAB_VAR", script)))
            .envs(account.into_iter().flatten())
            .envs(self.sudoer.then_some(("LAB_GROUPS", "sudo")))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("run scripts/lib/lab.sh serve");
        let log = Arc::new(Log::default());
        let stderr = server.stderr.take().expect("stderr is piped");
        let log_tx = Arc::clone(&log);
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).split(b'\n').map_while(Result::ok) {
                log_tx.push(&String::from_utf8_lossy(&line));
            }
            log_tx.close();
        });
        (server, log)
    }

    fn recipe(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    fn write(&self, dir: &Path, port: u16) {
        let output = Command::new("bash")
            .args([RECIPE, "write"])
            .arg(dir)
            .arg(port.to_string())
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .output()
            .expect("run scripts/lib/lab.sh write");
        assert!(output.status.success(), "lab.sh write: {}", String::from_utf8_lossy(&output.stderr));
        let config = dir.join("sshd_config");
        let rest = std::fs::read_to_string(&config).expect("read sshd_config");
        let options: String = self.options.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(&config, options + &rest).expect("write sshd_config");
    }
}

impl Lab {
    pub(crate) fn start() -> Self {
        Self::builder().start()
    }

    pub(crate) fn builder() -> Builder {
        Builder::default()
    }

    /// For `ssh -F`; it knows one server by the names `lab` and `demo-host`.
    pub(crate) fn ssh_config(&self) -> PathBuf {
        self.dir.join("ssh_config")
    }

    /// `-F CONFIG` and then `rest`, as arguments for ssh or aissh.
    pub(crate) fn args(&self, rest: &[&str]) -> Vec<String> {
        let config = self.ssh_config().display().to_string();
        ["-F", &config].iter().chain(rest).map(|&arg| arg.to_owned()).collect()
    }

    /// The whole environment for the client: a HOME of its own, so that no file of the user's is read.
    pub(crate) fn env(&self) -> Vec<(String, String)> {
        let home = self.client_home();
        let xdg = |dir: &str| home.join(dir).display().to_string();
        let env = [
            ("HOME", home.display().to_string()),
            ("XDG_CONFIG_HOME", xdg(".config")),
            ("XDG_STATE_HOME", xdg(".local/state")),
            ("XDG_DATA_HOME", xdg(".local/share")),
            ("XDG_CACHE_HOME", xdg(".cache")),
            ("XDG_RUNTIME_DIR", home.display().to_string()),
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("TERM", "xterm-256color".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
        ];
        env.map(|(name, value)| (name.to_owned(), value)).into()
    }

    /// Everything of it is in here.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Where its sshd listens.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Where one was asked for and could be made.
    pub(crate) fn account(&self) -> Option<&Account> {
        self.account.as_ref()
    }

    /// HOME of the sessions on the server.
    pub(crate) fn home(&self) -> PathBuf {
        self.dir.join("home")
    }

    /// HOME of the client, see [`Lab::env`].
    pub(crate) fn client_home(&self) -> PathBuf {
        self.dir.join("client")
    }

    /// The default prompt in the home directory, without the final blank: `#` for root, `$` for others.
    pub(crate) fn prompt(&self) -> &'static str {
        if nix::unistd::geteuid().is_root() { "user@host:~#" } else { "user@host:~$" }
    }

    /// What sshd has logged so far.
    pub(crate) fn log(&self) -> String {
        self.log.text()
    }

    /// Waits until sshd has logged `text`; false if it ended without.
    pub(crate) fn wait_log(&self, text: &str) -> bool {
        self.log.wait_for(text)
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        drop(self.server.stdin.take());
        let _ = self.server.wait();
        if std::thread::panicking() {
            eprintln!("--- sshd ---\n{}------------", self.log.text());
        }
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

fn end(mut server: Child) {
    drop(server.stdin.take());
    let _ = server.wait();
}

/// The client's user has seen the panel before.
fn welcomed(dir: &Path) {
    let state = dir.join("client/.local/state/aissh");
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&state).expect("make the state folder");
    let mut mark = std::fs::OpenOptions::new();
    mark.write(true).create(true).truncate(false).mode(0o600);
    mark.open(state.join("welcomed")).expect("make a mark");
}

/// A port of the loopback interface that was free a moment ago.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("bind a loopback port");
    listener.local_addr().expect("the bound port").port()
}

/// sshd's log as it grows.
#[derive(Default)]
struct Log {
    state: Mutex<(String, bool)>,
    changed: Condvar,
}

impl Log {
    fn push(&self, line: &str) {
        let mut state = self.lock();
        state.0.push_str(line.trim_end());
        state.0.push('\n');
        self.changed.notify_all();
    }

    fn close(&self) {
        self.lock().1 = true;
        self.changed.notify_all();
    }

    fn text(&self) -> String {
        self.lock().0.clone()
    }

    fn wait_for(&self, text: &str) -> bool {
        let unmet = |(log, ended): &mut (String, bool)| !log.contains(text) && !*ended;
        let (state, _) = self.changed.wait_timeout_while(self.lock(), DEADLINE, unmet).expect("log lock");
        state.0.contains(text)
    }

    fn lock(&self) -> MutexGuard<'_, (String, bool)> {
        self.state.lock().expect("log lock")
    }
}
