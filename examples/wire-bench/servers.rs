//! Linuses that are no help: one never answers, one never stops, one hangs up.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// Takes connections and requests and says nothing.
pub(crate) fn hang() -> String {
    serve(|mut stream| {
        let mut sink = [0; 4096];
        while matches!(stream.read(&mut sink), Ok(1..)) {}
    })
}

/// Answers with an event stream that has no end and no answer in it.
pub(crate) fn flood() -> String {
    serve(|mut stream| {
        let _ = stream.read(&mut [0; 4096]);
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
        let event = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"data\":\"x\"}}\n\n";
        let mut ok = stream.write_all(head.as_bytes());
        while ok.is_ok() {
            ok = stream.write_all(event.repeat(16).as_bytes());
            // Some 10 MB/s: the server itself must not take the CPU that is measured.
            std::thread::sleep(Duration::from_micros(100));
        }
    })
}

/// Reads and hangs up.
pub(crate) fn die() -> String {
    serve(|mut stream| {
        let _ = stream.read(&mut [0; 4096]);
    })
}

fn serve(answer: fn(TcpStream)) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("listen");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    });
    format!("http://{address}/mcp")
}
