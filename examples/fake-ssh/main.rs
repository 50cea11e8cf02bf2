//! What runs where ssh would while `wire-bench` measures: it makes its terminal raw as ssh does, and prints or echoes.
//!
//! A program of its own, without a byte of aissh's in it: aissh does not take for ssh what holds any.

#[path = "../wire-bench/roles.rs"]
mod roles;

use nix::sys::termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr};
use roles::{DONE, READY};
use std::fs::File;
use std::io::{Read, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let role = std::env::var(roles::ENV).unwrap_or_default();
    if std::env::args().any(|arg| arg == "-G") {
        return ExitCode::FAILURE;
    }
    run(&role)
}

fn run(role: &str) -> ExitCode {
    let mut words = role.split(' ');
    let mut raw = tcgetattr(std::io::stdin()).expect("a terminal");
    cfmakeraw(&mut raw);
    tcsetattr(std::io::stdin(), SetArg::TCSADRAIN, &raw).expect("raw mode");
    let mut tty = File::options().read(true).write(true).open("/dev/tty").expect("the terminal");
    tty.write_all(READY).expect("write");
    match (words.next(), words.next(), words.next().and_then(|n| n.parse().ok())) {
        (Some("print"), Some(text), Some(bytes)) => print(&mut tty, text, bytes),
        (Some("echo"), None, None) => echo(&mut tty),
        _ => return ExitCode::from(64),
    }
    ExitCode::SUCCESS
}

/// Begins at a key, says when it is done, ends at another.
fn print(tty: &mut File, text: &str, bytes: usize) {
    let mut key = [0];
    tty.read_exact(&mut key).expect("read");
    if text == "seq" {
        count(tty, bytes);
    } else {
        let block = block(text);
        let mut left = bytes;
        while left > 0 {
            let n = left.min(block.len());
            tty.write_all(&block[..n]).expect("write");
            left -= n;
        }
    }
    tty.write_all(b"\x1b\\\x1b[m\r\n").expect("write");
    tty.write_all(DONE).expect("write");
    tty.read_exact(&mut key).expect("read");
}

fn count(tty: &mut File, to: usize) {
    let mut out = std::io::BufWriter::with_capacity(64 * 1024, tty);
    for n in 1..=to {
        write!(out, "{n}\r\n").expect("write");
    }
    out.flush().expect("write");
}

fn block(text: &str) -> Vec<u8> {
    const SIZE: usize = 64 * 1024;
    let mut block = Vec::new();
    if text == "osc" {
        // Never ended: all of the output is one sequence.
        block = b"\x1b]52;c;".to_vec();
        block.resize(SIZE, b'A');
        return block;
    }
    let mut n = 0;
    while block.len() < SIZE {
        n += 1;
        let line = match text {
            "coloured" => format!(
                "\x1b[0;34mdrwxr-xr-x\x1b[0m 2 root root \x1b[38;5;{}m{:6}\x1b[0m Jan 12 \x1b[01;32mfile-{n}\x1b[0m\r\n",
                n % 256,
                n * 37 % 99991
            ),
            "utf-8" => format!("{n:5} größe naïve 日本語のテキスト — ελληνικά, кириллица ✓ … {n}\r\n"),
            "short" => format!("{}\r\n", n % 10),
            _ => format!(
                "{n:6} The quick brown fox jumps over the lazy dog and then does it all over again\r\n"
            ),
        };
        block.extend_from_slice(line.as_bytes());
    }
    block
}

/// As a shell's line editor would, and a new line now and then, as lines have ends.
fn echo(tty: &mut File) {
    const LINE: usize = 60;
    let mut bytes = [0; 1024];
    let mut column = 0;
    loop {
        match tty.read(&mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(n) if bytes[..n].contains(&b'q') => return,
            Ok(n) => {
                tty.write_all(&bytes[..n]).expect("write");
                column += n;
            }
        }
        if column >= LINE {
            tty.write_all(b"\r\n$ ").expect("write");
            column = 0;
        }
    }
}
