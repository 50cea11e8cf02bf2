//! `--ask`: one question, what was piped in, one answer, by the same message as a chat in a session.

mod allowed;
mod sessions;

use crate::config::wants_colour;
use crate::copilot::risk::{Syntax, assess};
use crate::error::{Error, status};
use crate::linus::Canceller;
use crate::linus::contract::{ChatContext, ChatResponse, Envelope, Request, Risk, Suggestion};
use crate::linus::redact::Redactor;
use crate::peers::Door;
use crate::terminal::SNIP;
use allowed::Allowed;
use serde_json::Value;
use std::collections::VecDeque;
use std::io::{self, IsTerminal, Read, Write};
use std::process::ExitCode;

/// Piped text that is kept from the beginning: headers, and what started it.
const HEAD: usize = 2 * 1024 * 1024;
/// And from the end: what happened last. Together 10 MiB.
const TAIL: usize = 8 * 1024 * 1024;
/// Characters that tell whether it is text; an archive or a program shows it within its first block.
const SAMPLE: usize = 64 * 1024;
/// One odd character in so many is too many. A log in Latin-1 or with a few NULs has fewer; compressed data has one
/// in two or three.
const MAX_ODD: usize = 10;

/// The question as the contract's chat message; the terminal's text is what was piped in.
pub fn request(question: &str, piped: String) -> Request {
    Request::Chat {
        session_id: "ask".into(),
        message: question.into(),
        context: ChatContext {
            ssh_host: String::new(),
            ssh_user: String::new(),
            connected: false,
            terminal_tail: piped,
            cwd: None,
            last_command: None,
            last_exit_code: None,
        },
    }
}

/// Asks once and prints.
pub fn run(
    question: &str,
    sessions: &[String],
    (as_json, allow): (bool, bool),
    door: &Door,
    mut redactor: Redactor,
) -> Result<ExitCode, Error> {
    let stdin = io::stdin();
    let (piped, clipped) = if stdin.is_terminal() {
        (String::new(), false)
    } else {
        read_bounded(stdin.lock()).map_err(|e| Error::new(status::DATA, format!("standard input: {e}")))?
    };
    if !is_text(&piped) {
        return Err(Error::new(status::DATA, "standard input is not text"));
    }
    let is_empty = !stdin.is_terminal() && piped.trim().is_empty();
    let mut request = request(question, piped);
    let with = sessions::add(question, sessions, &mut request)?;
    if !with.is_empty() {
        eprintln!("aissh: asked with what these sessions show: {}", with.join(", "));
    }
    redactor
        .redact_request(&mut request)
        .map_err(|why| Error::new(status::DATA, format!("the question was not sent: {why}")))?;
    let allowed = Allowed::choose(door, allow);
    let door = &allowed.door;
    if let Some(notice) = &allowed.notice {
        eprintln!("aissh: {notice}");
    }
    let answer = door
        .peer()
        .call(&request, &Canceller::new(), &mut |_| {})
        .map_err(|e| Error::new(status::UNAVAILABLE, format!("Linus at {}: {e}", door.name())))?;
    let mut envelope = answer.envelope;
    if is_empty && with.is_empty() {
        say_first(&mut envelope, "What was piped in is empty.");
    } else if clipped {
        say_clipped(&mut envelope);
    }
    // What is printed as JSON goes to programs, and on to logs and tickets: there the placeholders stay.
    if let Some(chat) = envelope.chat_response.as_mut().filter(|_| !as_json) {
        chat.message = redactor.reveal(&chat.message);
    }
    let colour = io::stdout().is_terminal() && wants_colour();
    let text = if as_json { format!("{}\n", reply(&envelope, &allowed)) } else { render(&envelope, colour) };
    match io::stdout().write_all(text.as_bytes()) {
        // Whoever closed the pipe has what they wanted.
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::new(status::IO, format!("standard output: {e}")))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Adds to the answer that its input was cut.
pub fn say_clipped(envelope: &mut Envelope) {
    if let Some(chat) = &mut envelope.chat_response {
        chat.message.push_str("\n(The input was larger than 10 MiB: I read its beginning and its end.)");
    }
}

/// Whether what was piped in is text. Decoded text is enough to tell: what was no UTF-8 is U+FFFD in it.
fn is_text(piped: &str) -> bool {
    let is_odd =
        |c: char| c == char::REPLACEMENT_CHARACTER || c.is_control() && !"\n\r\t\u{8}\u{c}\u{1b}".contains(c);
    let (mut all, mut odd) = (0, 0);
    for c in piped.chars().take(SAMPLE) {
        all += 1;
        odd += usize::from(is_odd(c));
    }
    all == 0 || odd * MAX_ODD < all
}

/// Puts a sentence before the answer.
pub fn say_first(envelope: &mut Envelope, sentence: &str) {
    let chat = envelope
        .chat_response
        .get_or_insert_with(|| ChatResponse { message: String::new(), mentions: Vec::new() });
    let answer = std::mem::take(&mut chat.message);
    chat.message = format!("{sentence}\n{answer}").trim_end().to_owned();
}

/// The bytes as text, at most 10 MiB of them: the beginning and the end, cut at line ends. Whether it was cut.
pub fn clip(bytes: &[u8]) -> (String, bool) {
    if bytes.len() <= HEAD + TAIL {
        return (String::from_utf8_lossy(bytes).into_owned(), false);
    }
    (join(&bytes[..HEAD], &bytes[bytes.len() - TAIL..]), true)
}

/// Like [`clip`] for a stream of any length, in bounded memory. Reads to the end.
pub fn read_bounded(mut input: impl Read) -> io::Result<(String, bool)> {
    let mut head = Vec::new();
    input.by_ref().take((HEAD + TAIL) as u64).read_to_end(&mut head)?;
    let mut tail: VecDeque<u8> = head.iter().skip(HEAD).copied().collect();
    let mut chunk = [0; 64 * 1024];
    let mut is_cut = false;
    loop {
        match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(n) => {
                is_cut = true;
                tail.extend(&chunk[..n]);
                tail.drain(..tail.len().saturating_sub(TAIL));
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    if !is_cut {
        return Ok(clip(&head));
    }
    Ok((join(&head[..HEAD], tail.make_contiguous()), true))
}

fn join(head: &[u8], tail: &[u8]) -> String {
    // Half a line would be read as a whole one.
    let head = head.iter().rposition(|b| *b == b'\n').map_or(head, |at| &head[..=at]);
    let tail = tail.iter().position(|b| *b == b'\n').map_or(tail, |at| &tail[at + 1..]);
    format!("{}{SNIP}\n{}", String::from_utf8_lossy(head), String::from_utf8_lossy(tail))
}

/// The envelope on one line.
pub fn json(envelope: &Envelope) -> String {
    // Not reachable: the envelope is a struct of strings, numbers and options.
    serde_json::to_string(envelope).unwrap_or_else(|_| "{}".into())
}

/// The envelope, and who answered where that was another than was meant.
fn reply(envelope: &Envelope, allowed: &Allowed) -> Value {
    let mut reply = serde_json::to_value(envelope).unwrap_or_default();
    allowed.tell(&mut reply);
    reply
}

/// The answer as text for a terminal: the message, then the commands by number.
pub fn render(envelope: &Envelope, color: bool) -> String {
    let mut out = String::new();
    if let Some(chat) = &envelope.chat_response {
        out.push_str(&number_cards(&harmless(&chat.message), commands(envelope)));
        out.push('\n');
    }
    for (i, card) in commands(envelope).iter().enumerate() {
        let (start, end) = if color { (color_of(level(card)), "\u{1b}[0m") } else { ("", "") };
        let (bold, plain) = if color { ("\u{1b}[1m", "\u{1b}[0m") } else { ("", "") };
        out.push_str(&format!(
            "\n{}. {bold}{}{plain}\n   {start}[{}]{end} {}\n",
            i + 1,
            harmless(&card.command).replace('\n', "\\n"),
            level(card).name(),
            harmless(&card.description)
        ));
    }
    out
}

fn commands(envelope: &Envelope) -> &[Suggestion] {
    envelope.suggested_commands.as_ref().map_or(&[], |s| &s.commands)
}

/// The message names cards by id; here they have numbers.
fn number_cards(message: &str, cards: &[Suggestion]) -> String {
    let mut message = message.to_owned();
    for (i, card) in cards.iter().enumerate().filter(|(_, c)| c.id.len() > 3) {
        message = message.replace(&card.id, &format!("command {}", i + 1));
    }
    message
}

/// The graver of what Linus says and what is found here.
fn level(card: &Suggestion) -> Risk {
    card.risk.max(assess(&card.command, Syntax::Posix).level)
}

fn color_of(risk: Risk) -> &'static str {
    match risk {
        Risk::Low => "\u{1b}[32m",
        Risk::Medium => "\u{1b}[33m",
        Risk::High => "\u{1b}[31m",
    }
}

/// Names in the answer come from the piped text: nothing of it may steer the terminal.
fn harmless(text: &str) -> String {
    text.split('\n').map(crate::builtin::printable).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
