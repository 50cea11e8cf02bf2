//! The way of every script and tool: where aissh is not wanted it becomes ssh, in the same process, and nothing
//! of it can be told from outside. A fake ssh says how it was started.
#![allow(clippy::unwrap_used)]

mod support;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use support::aissh::{PROGRAM, Run};
use support::lab::Lab;
use support::terminal::{Exit, Size, Terminal};

/// A directory with a program called `ssh` in it, which goes with it.
struct Fake {
    dir: PathBuf,
}

impl Fake {
    /// The script's `$OUT` is a file beside it.
    fn new(script: &str) -> Self {
        let dir = nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-fake.XXXXXX")).unwrap();
        let fake = Self { dir };
        let out = fake.out();
        // Taken for OpenSSH by its bytes, and so run with its environment untouched.
        fake.program("ssh", &format!("#!/bin/sh\n# OpenSSH_ fake\nOUT={}\n{script}\n", out.display()));
        fake
    }

    fn program(&self, name: &str, text: &str) {
        // Not written by this process: a fork in another test's thread would hold the file open for writing, and
        // until its exec nobody could run it (ETXTBSY).
        let mut install = Command::new("install");
        install.args(["-m", "755", "/dev/stdin"]).arg(self.dir.join(name));
        assert!(feed(&mut install, text.into()).status.success());
    }

    fn out(&self) -> PathBuf {
        self.dir.join("out")
    }

    fn said(&self) -> String {
        fs::read_to_string(self.out()).unwrap_or_default()
    }

    /// The environment with this ssh first in PATH.
    fn env(&self) -> Vec<(String, String)> {
        let home = self.dir.join("home");
        fs::create_dir_all(home.join(".config/aissh")).unwrap();
        let path = format!("{}:{}", self.dir.display(), std::env::var("PATH").unwrap());
        let home = home.display().to_string();
        let env = [("HOME", home), ("PATH", path), ("TERM", "xterm-256color".into())];
        env.map(|(name, value)| (name.to_owned(), value)).into()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(args).env_clear().envs(self.env()).stdin(Stdio::null());
        command
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

fn random(count: usize) -> Vec<u8> {
    use std::io::Read;
    let mut bytes = vec![0; count];
    fs::File::open("/dev/urandom").unwrap().read_exact(&mut bytes).unwrap();
    bytes
}

/// Runs it with `input` on a pipe, read and written at once.
fn feed(command: &mut Command, input: Vec<u8>) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    output
}

#[test]
fn arguments_reach_ssh_byte_for_byte() {
    let args: Vec<OsString> = [
        b"-vvp2222" as &[u8],
        b"-o",
        b"ProxyCommand=nc  %h %p",
        b"-i",
        b"",
        b"user@h\xc3\xb6st",
        b"echo \"$HOME\" 'a b'\n\ttab",
        b"\xff\xfe not UTF-8",
        b"--ask",
        b"--no-copilot",
        b"--",
        b"-x",
    ]
    .into_iter()
    .map(|arg| OsString::from_vec(arg.to_vec()))
    .collect();
    let fake = Fake::new("printf '%s\\0' \"$@\" > $OUT");
    let status = fake.command(&[]).args(&args).status().unwrap();
    assert!(status.success());
    let got = fs::read(fake.out()).unwrap();
    let got: Vec<&OsStr> = got.split(|b| *b == 0).map(OsStr::from_bytes).collect();
    assert_eq!(got[..got.len() - 1], args);
}

#[test]
fn options_of_our_own_never_reach_ssh() {
    let fake = Fake::new("printf '%s ' \"$@\" > $OUT");
    let own = ["--no-copilot", "--linus-url", "http://127.0.0.1:1/mcp", "--config=/nonexistent"];
    assert!(fake.command(&own).args(["-p", "22", "host", "--sidebar"]).status().unwrap().success());
    assert_eq!(fake.said(), "-p 22 host --sidebar ");
}

#[test]
fn it_is_the_same_process_with_the_same_descriptors_signals_and_environment() {
    let about = "for fd in /proc/$$/fd/*; do echo ${fd##*/}; done > $OUT; \
                 grep -E '^Sig(Blk|Ign)' /proc/self/status >> $OUT; umask >> $OUT; pwd >> $OUT; \
                 env | grep -v '^_=' | sort >> $OUT; echo pid $$ >> $OUT";
    let fake = Fake::new(about);
    // SIGPIPE at its default, though Rust ignores it in aissh itself; what the caller ignores stays ignored.
    for prelude in ["", "trap '' HUP INT QUIT;", "umask 027; cd /;"] {
        let mut seen = Vec::new();
        for program in [PROGRAM, fake.dir.join("ssh").to_str().unwrap()] {
            let script = format!("{prelude} exec \"$@\"");
            let mut command = Command::new("sh");
            command.args(["-c", &script, "sh", program, "host"]).env_clear().envs(fake.env());
            let mut child = command.stdin(Stdio::null()).spawn().unwrap();
            let pid = child.id();
            assert!(child.wait().unwrap().success());
            let said = fake.said();
            assert!(said.contains(&format!("pid {pid}\n")), "not the same process: {said}");
            seen.push(said.replace(&format!("pid {pid}\n"), ""));
        }
        assert_eq!(seen[0], seen[1], "{prelude}");
    }
}

#[test]
fn pipes_carry_every_byte_both_ways() {
    let fake = Fake::new("cat; echo to stderr >&2");
    let bytes = random(1 << 20);
    let output = feed(&mut fake.command(&["host", "cat"]), bytes.clone());
    assert!(output.stdout == bytes, "{} bytes came back", output.stdout.len());
    assert_eq!(output.stderr, b"to stderr\n");
}

#[test]
fn exit_statuses_and_deaths_by_signal_are_ssh_s() {
    for status in [0, 1, 7, 127, 255] {
        let fake = Fake::new(&format!("exit {status}"));
        assert_eq!(fake.command(&["host"]).status().unwrap().code(), Some(status));
    }
    // Not SIGINT: under a script's `&` the tests ignore it, and so would the fake.
    for signal in [9, 10, 15] {
        let fake = Fake::new(&format!("kill -{signal} $$"));
        assert_eq!(fake.command(&["host"]).status().unwrap().signal(), Some(signal));
    }
}

#[test]
fn with_a_real_server_pipes_and_statuses_are_as_with_ssh() {
    let lab = Lab::start();
    let bytes = random(1 << 20);
    let mut command = Command::new(PROGRAM);
    command.args(lab.args(&["lab", "cat; echo to stderr >&2; exit 7"])).env_clear().envs(lab.env());
    let output = feed(&mut command, bytes.clone());
    assert!(output.stdout == bytes, "{} bytes came back", output.stdout.len());
    assert_eq!(output.stderr, b"to stderr\n");
    assert_eq!(output.status.code(), Some(7));
    let nowhere = ["-o", "ProxyCommand=exit 1", "lab", "true"];
    let status = Command::new(PROGRAM).args(lab.args(&nowhere)).env_clear().envs(lab.env()).output().unwrap();
    assert_eq!(status.status.code(), Some(255));
}

#[test]
fn tools_that_are_told_to_use_aissh_as_their_ssh_work() {
    let lab = Lab::start();
    let bytes = random(300_000);
    fs::write(lab.home().join("there"), &bytes).unwrap();
    let here = lab.client_home().join("here");
    let config = lab.ssh_config();
    let mut scp = Command::new("scp");
    scp.args(["-q", "-S", PROGRAM, "-F"]).arg(&config);
    scp.arg(format!("lab:{}/there", lab.home().display())).arg(&here).env_clear().envs(lab.env());
    let output = scp.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(fs::read(here).unwrap() == bytes);
}

#[test]
fn a_link_named_ssh_to_aissh_first_in_path_never_loops() {
    let lab = Lab::start();
    let fake = Fake::new("");
    fs::remove_file(fake.dir.join("ssh")).unwrap();
    std::os::unix::fs::symlink(PROGRAM, fake.dir.join("ssh")).unwrap();
    let path = format!("{}:{}", fake.dir.display(), std::env::var("PATH").unwrap());
    // A jump makes ssh start itself again.
    for rest in [&["lab", "echo $((6 * 7))"] as &[&str], &["-J", "demo-host", "lab", "echo $((6 * 7))"]] {
        let mut command = Command::new(fake.dir.join("ssh"));
        command.args(lab.args(rest)).env_clear().envs(lab.env()).env("PATH", &path);
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "42\n", "{output:?}");
    }
    // The same in a terminal, where it wraps.
    let terminal = Run::aissh(&lab).env("PATH", &path).at_prompt();
    terminal.type_line("exit 3");
    assert_eq!(terminal.wait_exit(), Exit::Code(3));
}

#[test]
fn another_ssh_can_be_named_and_a_bad_name_is_an_error_with_its_remedy() {
    let fake = Fake::new("echo wrong > $OUT");
    fake.program("other", "#!/bin/sh\necho other; exit 5\n");
    let output = fake.command(&["host"]).env("AISSH_SSH", fake.dir.join("other")).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(5), b"other\n".as_slice()));
    for (name, value) in [("AISSH_SSH", PROGRAM), ("AISSH_SSH", "/nonexistent/ssh"), ("PATH", "/nonexistent")]
    {
        let output = fake.command(&["host"]).env(name, value).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(127), "{said}");
        assert!(said.contains("AISSH_SSH") && said.lines().count() == 1, "{said}");
    }
    assert_eq!(fake.said(), "");
}

#[test]
fn a_bad_configuration_is_not_even_read() {
    let fake = Fake::new("echo ran");
    // A FIFO would hang whoever opens it.
    let config = fake.dir.join("home/.config/aissh/config.toml");
    fake.env();
    nix::unistd::mkfifo(&config, nix::sys::stat::Mode::S_IRWXU).unwrap();
    for args in [&["host"] as &[&str], &["--config", config.to_str().unwrap(), "host"]] {
        let output = fake.command(args).output().unwrap();
        assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (b"ran\n" as &[u8], b"" as &[u8]));
    }
}

/// How ssh was started from a terminal: `wrapped` or `plain`, and the status that came back.
fn on_terminal(fake: &Fake, script: &str) -> (String, Exit) {
    let _ = fs::remove_file(fake.out());
    let args: Vec<String> = ["-c", script, "sh", PROGRAM].map(str::to_owned).into();
    let terminal = Terminal::spawn("sh", &args, &fake.env(), Size::CLASSIC);
    let exit = terminal.wait_exit();
    (fake.said().trim().to_owned(), exit)
}

#[test]
fn in_a_terminal_it_wraps_only_what_is_interactive() {
    // aissh also asks `ssh -G` who and where; that is not the session.
    let fake = Fake::new(
        "case \" $* \" in *' -G '*) exit 1 ;; esac; \
         if [ -n \"$AISSH_WRAPPED\" ]; then echo wrapped; else echo plain; fi > $OUT; exit 4",
    );
    let wrapped =
        ["\"$1\" host", "\"$1\" -p 22 user@host", "\"$1\" -t host top", "\"$1\" host -v", "\"$1\" -tt host"];
    for script in wrapped {
        assert_eq!(on_terminal(&fake, script), ("wrapped".into(), Exit::Code(4)), "{script}");
    }
    let plain = [
        "\"$1\" host 2> /dev/null",
        "\"$1\" host > /dev/null",
        "\"$1\" host < /dev/null",
        "\"$1\" host ls",
        "\"$1\" -N host",
        "\"$1\" -vfN host",
        "\"$1\" -T host",
        "\"$1\" -oRequestTTY=no host",
        "\"$1\" -W a:1 host",
        "\"$1\" -V",
        "\"$1\" host -n",
        "\"$1\"",
        "trap '' HUP; \"$1\" host",
        "TERM=dumb \"$1\" host",
        "unset TERM; \"$1\" host",
        "AISSH=off \"$1\" host",
    ];
    for script in plain {
        assert_eq!(on_terminal(&fake, script), ("plain".into(), Exit::Code(4)), "{script}");
    }
}

#[test]
fn inside_a_wrapped_session_there_is_no_second_panel() {
    let fake = Fake::new("printf $$ > $OUT");
    let mut env = fake.env();
    env.push(("AISSH_WRAPPED".into(), "1".into()));
    let terminal = Terminal::spawn(PROGRAM, &["host".into()], &env, Size::CLASSIC);
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert_eq!(fake.said(), terminal.pid().to_string(), "the same process");
}

#[test]
fn the_config_file_can_ask_for_no_terminal() {
    let fake = Fake::new("");
    // `-G` is answered by the real ssh; the session itself is the fake.
    let real = which("ssh");
    let script = format!(
        "case \" $* \" in *' -G '*) exec {} \"$@\" ;; esac\n\
         if [ -n \"$AISSH_WRAPPED\" ]; then echo wrapped; else echo plain; fi > $OUT",
        real.display()
    );
    fake.program("ssh", &format!("#!/bin/sh\nOUT={}\n{script}\n", fake.out().display()));
    let config = fake.dir.join("config");
    let cases = [
        ("Host other\n RequestTTY no\n", "wrapped"),
        ("Host host\n RequestTTY no\n", "plain"),
        ("Host host\n RemoteCommand top\n", "plain"),
        ("Host host\n RemoteCommand top\n RequestTTY yes\n", "wrapped"),
        ("Host host\n SessionType none\n", "plain"),
    ];
    for (text, expected) in cases {
        fs::write(&config, text).unwrap();
        let script = format!("\"$1\" -F {} host", config.display());
        assert_eq!(on_terminal(&fake, &script), (expected.into(), Exit::Code(0)), "{text}");
    }
}

fn which(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    let is_there = |file: &PathBuf| Path::new(file).is_file();
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(is_there).unwrap()
}
