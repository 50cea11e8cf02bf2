//! FRR's zebra with a configuration of its own: the daemon behind vtysh, and a network CLI itself.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use super::DEADLINE;

const PROGRAM: &str = "/usr/lib/frr/zebra";

pub(crate) struct Zebra {
    dir: PathBuf,
    port: u16,
    daemon: Child,
}

impl Zebra {
    /// Lets in, and enables, by `password`. Only root can start one: it becomes its own user.
    pub(crate) fn start(password: &str) -> Option<Self> {
        if !nix::unistd::geteuid().is_root() {
            return None;
        }
        assert!(Path::new(PROGRAM).exists(), "{PROGRAM} is missing: apt-get install frr");
        let dir =
            nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-zebra.XXXXXX")).expect("make a directory");
        let interfaces: String =
            (0..30).map(|n| format!("interface d{n}\n description uplink number {n}\n!\n")).collect();
        let config = format!(
            "hostname r1\nservice password-encryption\npassword {password}\nenable password {password}\n{interfaces}"
        );
        std::fs::write(dir.join("zebra.conf"), config).expect("write zebra.conf");
        std::fs::write(dir.join("vtysh.conf"), "hostname r1\n").expect("write vtysh.conf");
        // zebra gives up root for its own user.
        let owned = Command::new("chown").args(["-R", "frr:frrvty"]).arg(&dir).status();
        assert!(owned.is_ok_and(|s| s.success()), "chown to frr");
        let port =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|l| l.local_addr()).expect("a port").port();
        let file = |name: &str| dir.join(name).display().to_string();
        let daemon = Command::new(PROGRAM)
            .args([
                "-F",
                "traditional",
                "-f",
                &file("zebra.conf"),
                "-i",
                &file("pid"),
                "-z",
                &file("zserv.api"),
            ])
            .args(["--vty_socket", &dir.display().to_string(), "-A", "127.0.0.1", "-P", &port.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("run zebra");
        let zebra = Self { dir, port, daemon };
        let deadline = Instant::now() + DEADLINE;
        while !zebra.dir.join("zebra.vty").exists() {
            assert!(Instant::now() < deadline, "zebra does not listen");
            std::thread::yield_now();
        }
        Some(zebra)
    }

    /// Where its own CLI listens.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// vtysh on it, as a login shell would run it.
    pub(crate) fn vtysh(&self) -> String {
        let dir = self.dir.display();
        format!("vtysh --vty_socket {dir} --config_dir {dir}")
    }
}

impl Drop for Zebra {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}
