//! The server side of HTTP/1.1, as little as the recording Linus needs.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

/// A request as it came in. Header names are in lower case.
#[derive(Debug, Clone)]
pub struct HttpRequest {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
    /// The body as it came, where it is not JSON.
    pub text: String,
}

impl HttpRequest {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// The JSON-RPC method, or the HTTP method where there is no body.
    pub fn rpc(&self) -> &str {
        self.body["method"].as_str().unwrap_or(&self.method)
    }

    pub fn id(&self) -> &Value {
        &self.body["id"]
    }
}

/// The next request on a connection, `None` when it is over.
pub fn read_request(reader: &mut BufReader<TcpStream>) -> Option<HttpRequest> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|n| *n > 0)?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(n, _)| n == "content-length").and_then(|(_, v)| v.parse().ok());
    let mut bytes = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut bytes).ok()?;
    let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Some(HttpRequest { method, path, headers, body, text })
}

/// Writes a whole answer.
pub fn write_answer(
    out: &mut TcpStream,
    status: u16,
    headers: &[(&str, &str)],
    body: &str,
) -> std::io::Result<()> {
    let mut text = format!("HTTP/1.1 {status} Status\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    out.write_all((text + "\r\n" + body).as_bytes())
}

/// Begins an answer of unknown length.
pub fn begin_chunked(out: &mut TcpStream, headers: &[(&str, &str)]) -> std::io::Result<()> {
    let mut text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n".to_owned();
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    out.write_all((text + "\r\n").as_bytes())
}

pub fn write_chunk(out: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    out.write_all(format!("{:x}\r\n", bytes.len()).as_bytes())?;
    out.write_all(bytes)?;
    out.write_all(b"\r\n")
}

pub fn end_chunked(out: &mut TcpStream) -> std::io::Result<()> {
    out.write_all(b"0\r\n\r\n")
}
