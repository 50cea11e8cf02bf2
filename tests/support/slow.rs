//! A link with a delay: what comes in goes out 150 ms later, both ways, so that an echo takes 300 ms.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

const ONE_WAY: Duration = Duration::from_millis(150);

pub(crate) struct SlowLink {
    port: u16,
}

impl SlowLink {
    /// A port of its own that leads to that one.
    pub(crate) fn to(port: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("bind a loopback port");
        let own = listener.local_addr().expect("the bound port").port();
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let Ok(far) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else { return };
                let (near_2, far_2) =
                    (near.try_clone().expect("a socket"), far.try_clone().expect("a socket"));
                pass(near, far);
                pass(far_2, near_2);
            }
        });
        Self { port: own }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }
}

/// Two threads: one takes what comes at once, the other lets it wait. The wait is the link's, not the test's.
fn pass(mut from: TcpStream, mut to: TcpStream) {
    let (tx, rx) = mpsc::channel::<(Instant, Vec<u8>)>();
    thread::spawn(move || {
        let mut buffer = [0; 16 * 1024];
        while let Ok(n @ 1..) = from.read(&mut buffer) {
            if tx.send((Instant::now() + ONE_WAY, buffer[..n].to_vec())).is_err() {
                break;
            }
        }
    });
    thread::spawn(move || {
        for (due, bytes) in rx {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            if to.write_all(&bytes).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
    });
}
