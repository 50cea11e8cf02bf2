//! Faults that no real server shows on demand: a mock that answers each request with the next of its lines.

use super::*;
use crate::linus::{Secret, Tls};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

const PATIENCE: Duration = Duration::from_secs(30);

/// Answers one connection each, and tells what it was sent. The last one is held open.
fn serve(answers: Vec<String>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (tx, rx) = channel();
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = tx.send(request(&mut stream));
            stream.write_all(answer.as_bytes()).unwrap();
            let is_held = !answer.contains("Connection: close");
            open.extend(is_held.then_some(stream));
        }
        std::thread::park();
    });
    (url, rx)
}

fn request(stream: &mut TcpStream) -> String {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .to_lowercase()
                .split_once("content-length: ")
                .map_or(0, |(_, rest)| rest.lines().next().unwrap_or_default().trim().parse().unwrap_or(0));
            if body.len() >= length {
                return text;
            }
        }
        match stream.read(&mut chunk).unwrap() {
            0 => return text,
            n => bytes.extend_from_slice(&chunk[..n]),
        }
    }
}

fn status(line: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {line}\r\nContent-Length: {length}\r\n{headers}Connection: close\r\n\r\n{body}")
}

fn stream(events: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n{events}")
}

const HELLO: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hello\"}}]}\n\n";
const END: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

fn model(url: &str, key: Key) -> OpenAi {
    let http = Http::new(url, key, Tls::default(), PATIENCE, None).unwrap();
    OpenAi::new(http, Setup { name: "m".into(), model: "m".into(), ..Setup::default() })
}

fn prompt() -> Prompt {
    let turns = vec![Turn { role: Role::User, text: "disk?".into() }];
    let schema = Some(serde_json::json!({"type": "object"}));
    Prompt { system: "s".into(), turns, schema, max_tokens: 10 }
}

fn ask(url: &str) -> Result<Completion, ModelError> {
    model(url, Key::None).complete(&prompt(), &Canceller::new(), &mut |_| {})
}

#[test]
fn a_server_that_asks_for_patience_is_asked_again_and_given_up_after_three_retries() {
    let busy = || status("429 Too Many Requests", "Retry-After: 0\r\n", "{}");
    let (url, asked) = serve(vec![
        busy(),
        status("503 Loading", "Retry-After: 0\r\n", "{}"),
        stream(&format!("{HELLO}{END}")),
    ]);
    assert_eq!(ask(&url).unwrap().text, "hello");
    assert_eq!(asked.try_iter().count(), 3);
    let (url, asked) = serve((0..4).map(|_| busy()).collect());
    assert_eq!(ask(&url), Err(ModelError::Busy(Some(Duration::ZERO))));
    assert_eq!(asked.try_iter().count(), 4);
    // Longer than anybody waits: said at once.
    let (url, _asked) = serve(vec![status("429 Later", "Retry-After: 3600\r\n", "{}")]);
    assert_eq!(ask(&url), Err(ModelError::Busy(Some(Duration::from_secs(3600)))));
}

#[test]
fn nothing_is_asked_again_once_there_was_text() {
    let error = "data: {\"error\":{\"code\":500,\"message\":\"no\"}}\n\n";
    let (url, asked) = serve(vec![stream(&format!("{HELLO}{error}"))]);
    assert_eq!(ask(&url), Err(ModelError::Failed("HTTP 500: no".into())));
    assert_eq!(asked.try_iter().count(), 1);
}

#[test]
fn a_redirect_is_not_followed_and_the_key_is_shown_once() {
    let (elsewhere, stolen) = serve(vec![stream(END)]);
    let (url, asked) = serve(vec![status("307 Moved", &format!("Location: {elsewhere}/x\r\n"), "")]);
    let key =
        Key::Variable { name: "K".into(), setting: "model.m.key_env".into(), secret: Secret::new("s3cret") };
    let error = model(&url, key).complete(&prompt(), &Canceller::new(), &mut |_| {}).unwrap_err().to_string();
    assert!(error.contains("it redirects to") && !error.contains("s3cret"), "{error}");
    assert!(asked.recv().unwrap().contains("Bearer s3cret"));
    assert!(stolen.try_recv().is_err());
}

#[test]
fn a_key_that_is_refused_is_named_by_its_source() {
    let (url, _asked) = serve(vec![status("401 Unauthorized", "", "{}")]);
    let key =
        Key::Variable { name: "K".into(), setting: "model.m.key_env".into(), secret: Secret::new("s3cret") };
    let error = model(&url, key).complete(&prompt(), &Canceller::new(), &mut |_| {});
    let says = "HTTP 401: the key in K (model.m.key_env) is not accepted";
    assert_eq!(error, Err(ModelError::Denied(says.into())));
}

#[test]
fn what_a_server_refuses_by_name_is_left_out_from_then_on() {
    let refusal = status("400 Bad", "", "{\"error\":{\"message\":\"response_format is not supported\"}}");
    let whole = || stream(&format!("{HELLO}{END}"));
    let (url, asked) = serve(vec![refusal, whole(), whole()]);
    let model = model(&url, Key::None);
    for _ in 0..2 {
        assert_eq!(model.complete(&prompt(), &Canceller::new(), &mut |_| {}).unwrap().text, "hello");
    }
    let has_format: Vec<bool> = asked.try_iter().map(|request| request.contains("response_format")).collect();
    assert_eq!(has_format, [true, false, false]);
}

#[test]
fn a_call_that_is_taken_back_in_the_middle_of_a_stream_ends() {
    let (url, _asked) = serve(vec![stream(HELLO)]);
    let cancel = Canceller::new();
    let taken_back = cancel.clone();
    let answer = model(&url, Key::None).complete(&prompt(), &cancel, &mut |_| {
        let cancel = taken_back.clone();
        std::thread::spawn(move || cancel.cancel());
    });
    assert_eq!(answer, Err(ModelError::Cancelled));
}

#[test]
fn garbage_and_endless_answers_are_errors_or_cut() {
    let (url, _asked) =
        serve(vec![status("200 OK", "Content-Type: text/event-stream\r\n", "data: <html>\n\n")]);
    assert_eq!(ask(&url), Err(ModelError::Failed("its answer is not JSON".into())));
    let long =
        format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}}}}]}}\n\n", "x".repeat(64 * 1024));
    let (url, _asked) = serve(vec![stream(&long.repeat(6))]);
    let cut = ask(&url).unwrap();
    assert!(cut.is_cut && cut.text.len() == 256 * 1024, "{}", cut.text.len());
    let (url, _asked) = serve(vec![status("200 OK", "Content-Type: text/event-stream\r\n", HELLO)]);
    assert_eq!(ask(&url), Err(ModelError::Failed("the answer broke off".into())));
}
