//! The MCP client when things go wrong: streams that break, servers that hang, lie, die or forget, and calls
//! that are taken back. Most were reported of clients like this one; each kind of report and the test that fails if it
//! were true here (`f` this file, `m` mcp.rs, `c` command.rs, `p` mcp_peers, `s` src/linus/sse.rs, `r` src/linus/reply.rs):
//!
//! | reported | test |
//! |---|---|
//! | the empty priming event breaks the call | s `a_priming_event_moves_the_id_and_is_not_given_out`, m `json_and_every_form_of_event_stream_…`, p everything |
//! | 404 for a dead session is not begun anew | f `a_lost_session_is_begun_anew_once_whether_it_is_404_or_400` |
//! | 400 for a dead session | the same |
//! | a session id taken from a refused probe | m `a_session_id_on_a_refused_probe_is_never_used` |
//! | a stream that ends without an answer hangs | f `a_stream_that_ends_without_an_answer_fails_at_once` |
//! | the end of the stream is waited for | m `json_and_every_form_of_event_stream_are_answers_and_none_is_waited_out` |
//! | a missing last blank line | the same (`UnendedSse`), s `a_last_event_without_its_blank_line_…` |
//! | UTF-8 cut in two, CRLF, several data lines | s: every stream split at every byte; m `RoughSse` |
//! | the fallback from the probe looks at one status | m `whatever_refuses_the_probe_is_tried_as_a_legacy_server` |
//! | -32601 with status 200 to the probe | the same |
//! | an error with a foreign or no id is dropped | f `an_answer_to_something_else_fails_at_once`, c `an_error_that_names_no_request_…` |
//! | only the probe is refused with 401 or 403 | m `whatever_refuses_the_probe_…` |
//! | 200 or 204 to a notification is fatal | m `a_notification_may_be_taken_with_any_success` |
//! | a refused standalone stream ends everything, or is asked for again and again | m `the_standalone_stream_is_opened_only_where_something_is_offered_and_never_twice` |
//! | a redirect to the slash, and what it takes along | m `a_redirect_is_followed_once_within_the_origin_and_nowhere_else` |
//! | `nextCursor` ignored, or for ever the same | m `all_pages_of_the_tools_are_read_and_a_cursor_that_does_not_advance_ends_it` |
//! | ids of another type, or not looked at | f `an_answer_to_something_else_fails_at_once`, c `what_is_no_message_or_no_answer_of_ours_is_passed_over` |
//! | only one of content and structuredContent is read | r `structured_content_is_preferred_and_enough_alone`, m `the_envelope_is_read_from_text_too` |
//! | processes race for a refresh token | `src/linus/oauth`: the lock and the store |
//! | `resource_metadata` ignored or nested | `src/linus/oauth`: discovery |
//! | metadata or a slow server holds up the user | f `a_failed_handshake_means_that_the_message_never_left`, `lanes.rs`, `leaving.rs` |
//! | who leaves does not cancel | f `a_call_is_taken_back_at_once_and_the_next_one_works`, c `a_call_is_taken_back_by_a_notice_…` |
//! | no Host or Origin check | a server's matter: a session opens no port |
//! | sessions that are never ended | m `a_legacy_session_is_ended_with_the_client_and_a_modern_one_has_none` |
//! | a log line on stdout; a server that dies of the probe | c `what_is_no_message_…`, c `a_server_that_dies_of_the_probe_…`, p the Python Linus does both |
//! | a URL goes through a shell | `src/linus/helper`: a list of arguments, `what_it_prints_is_returned_and_what_it_is_given_reaches_it` |
//! | a silent stream is cut, or a total timeout cuts a live one | f `answers_that_do_not_end_or_do_not_come_are_cut_off`, `a_stream_that_speaks_now_and_then_outlives_the_idle_time` |
//! | a read timeout that can be reset | the same |
#![allow(clippy::unwrap_used)]

mod support;

use std::thread;
use std::time::{Duration, Instant};

use aissh::linus::{CallError, Canceller, Client, Delivery, Peer};
use support::calls::*;
use support::linus::{Fault, LEGACY, Linus, MODERN, Setup};

#[test]
fn a_lost_session_is_begun_anew_once_whether_it_is_404_or_400() {
    for lost_status in [404, 400] {
        let linus = Linus::start(Setup { revision: LEGACY, lost_status, ..Setup::default() });
        let mut client = client(&linus);
        said(&mut client, "one");
        linus.lose_session();
        assert_eq!(said(&mut client, "two").as_deref(), Some("you said: two"));
        assert_eq!(linus.calls().len(), 2, "sent once each");
        linus.always("tools/call", Fault::json(lost_status, "{}"));
        let before = linus.methods().len();
        assert_eq!(call(&mut client, &chat("three")), Err(CallError::Http(lost_status)));
        let tried: Vec<_> = linus.methods().split_off(before);
        assert_eq!(tried.iter().filter(|m| *m == "tools/call").count(), 2, "{tried:?}");
    }
}

#[test]
fn a_stream_that_ends_without_an_answer_fails_at_once() {
    let progress = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n";
    for (linus, text) in [
        (Linus::modern(), progress.to_owned()),
        (Linus::modern(), format!("id: 1\n{progress}")),
        (Linus::legacy(), progress.to_owned()),
        (Linus::legacy(), "data: {\"jsonrpc\":\"2.0\",\"id\":".to_owned()),
        (Linus::legacy(), String::new()),
    ] {
        linus.fault("tools/call", Fault::stream(&text));
        let error = call(&mut client(&linus), &chat("hi")).unwrap_err();
        assert!(matches!(error, CallError::Lost(_)), "{text:?}: {error:?}");
        assert_eq!(error.delivery(), Delivery::Perhaps);
        assert_eq!(linus.methods().iter().filter(|m| *m == "tools/call" || *m == "GET").count(), 1);
    }
}

#[test]
fn a_broken_legacy_stream_is_resumed_where_it_was() {
    let linus = Linus::legacy();
    linus.fault("tools/call", Fault::stream("id: e1\nretry: 10\ndata: \n\n"));
    linus.fault("GET", Fault::stream("id: e2\ndata:\n\nid: lost\ndata: {\"jsonrpc\""));
    let answer =
        r#"{"jsonrpc":"2.0","id":4,"result":{"structuredContent":{"chat_response":{"message":"late"}}}}"#;
    linus.fault("GET", Fault::stream(&format!("id: e3\ndata: {answer}\n\n")));
    assert_eq!(said(&mut client(&linus), "hi").as_deref(), Some("late"));
    let requests = linus.requests();
    let gets: Vec<_> = requests.iter().filter(|r| r.method == "GET").collect();
    assert_eq!(gets.iter().map(|g| g.header("last-event-id")).collect::<Vec<_>>(), [Some("e1"), Some("e2")]);
    assert!(gets.iter().all(|g| g.header("mcp-session-id") == Some("session-1")));
}

#[test]
fn resuming_is_bounded_and_a_server_without_it_is_believed() {
    let linus = Linus::legacy();
    linus.fault("tools/call", Fault::stream("id: e1\nretry: 1\ndata: \n\n"));
    linus.always("GET", Fault::stream(""));
    assert!(matches!(call(&mut client(&linus), &chat("hi")), Err(CallError::Lost(_))));
    assert_eq!(linus.methods().iter().filter(|m| *m == "GET").count(), 3);
    linus.heal();
    for refusal in [Fault::json(405, ""), Fault::json(404, ""), Fault::json(200, "{}")] {
        linus.fault("tools/call", Fault::stream("id: e1\nretry: 1\ndata: \n\n"));
        linus.fault("GET", refusal);
        let before = linus.methods().len();
        assert!(matches!(call(&mut client(&linus), &chat("hi")), Err(CallError::Lost(_))));
        assert_eq!(linus.methods()[before..].iter().filter(|m| *m == "GET").count(), 1);
    }
}

#[test]
fn an_answer_to_something_else_fails_at_once() {
    for body in [
        r#"{"jsonrpc":"2.0","id":"{id}","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"cannot read"}}"#,
        r#"{"jsonrpc":"2.0","result":{}}"#,
        r#"{"hello":1}"#,
        r#"{"jsonrpc":"2.0","id":{id},"result":"text"}"#,
        "[]",
        "7",
        "not json",
    ] {
        let linus = Linus::modern();
        linus.fault("tools/call", Fault::json(200, body));
        let plain = call(&mut client(&linus), &chat("hi"));
        assert!(matches!(plain, Err(CallError::Protocol(_))), "{body}: {plain:?}");
        // On a stream that stays open too.
        linus.fault("tools/call", Fault::stream_then_hang(&format!("data: {body}\n\n")));
        let streamed = call(&mut client(&linus), &chat("hi"));
        assert!(matches!(streamed, Err(CallError::Protocol(_))), "{body}: {streamed:?}");
    }
}

#[test]
fn errors_of_the_tool_of_the_protocol_and_of_http_are_told_apart() {
    let linus = Linus::modern();
    let mut client = client(&linus);
    for (fault, wanted) in [
        (
            Fault::json(
                200,
                r#"{"jsonrpc":"2.0","id":{id},"result":{"isError":true,"content":[{"type":"text","text":"no model"}]}}"#,
            ),
            CallError::Tool("no model".into()),
        ),
        (
            Fault::json(
                200,
                r#"{"jsonrpc":"2.0","id":{id},"error":{"code":-32603,"message":"oh\u001b[2J"}}"#,
            ),
            CallError::Protocol("oh [2J (-32603)".into()),
        ),
        (
            Fault::json(
                400,
                r#"{"jsonrpc":"2.0","id":{id},"error":{"code":-32602,"message":"unknown tool"}}"#,
            ),
            CallError::Protocol("unknown tool (-32602)".into()),
        ),
        (
            Fault::json(400, r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#),
            CallError::Http(400),
        ),
        (Fault::json(500, "<html>"), CallError::Http(500)),
        (Fault::json(401, ""), CallError::auth("HTTP 401: a token is needed")),
        (Fault::json(403, ""), CallError::auth("HTTP 403: a request without a token may not use this Linus")),
        (Fault::json(302, ""), CallError::Http(302)),
        (Fault::Status(200, "text/html", "<html>".into()), {
            CallError::Protocol("the answer is neither JSON nor an event stream".into())
        }),
        (Fault::json(202, ""), CallError::Protocol("the answer is empty".into())),
    ] {
        linus.fault("tools/call", fault.clone());
        assert_eq!(call(&mut client, &chat("hi")), Err(wanted), "{fault:?}");
    }
    assert_eq!(said(&mut client, "hi").as_deref(), Some("you said: hi"));
}

#[test]
fn answers_that_do_not_end_or_do_not_come_are_cut_off() {
    for linus in [Linus::modern(), Linus::legacy()] {
        let connected = |client: &mut Client| {
            said(client, "hi");
        };
        linus.fault("tools/call", Fault::Endless);
        let error = call(&mut client(&linus), &chat("hi")).unwrap_err();
        assert_eq!(error, CallError::Protocol("the answer is larger than 4096 KiB".into()));
        for fault in
            [Fault::Hang, Fault::stream_then_hang(": here\n\n"), Fault::Slow(Duration::from_millis(50))]
        {
            let mut client = hasty(&linus);
            connected(&mut client);
            linus.fault("tools/call", fault.clone());
            assert_eq!(call(&mut client, &chat("hi")), Err(CallError::Timeout), "{fault:?}");
            linus.heal();
            connected(&mut client);
        }
    }
}

#[test]
fn garbage_and_broken_bodies_are_errors_and_never_more() {
    let long_header = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(200_000));
    let half = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{\"jsonrpc\"";
    let bad_chunk =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n";
    let deep = format!(r#"{{"jsonrpc":"2.0","id":{{id}},"result":{}}}"#, "[".repeat(100_000));
    let linus = Linus::modern();
    for fault in [
        Fault::Raw("\0\u{1}garbage\r\n\r\n".into()),
        Fault::Raw(long_header),
        Fault::Raw(half.into()),
        Fault::Raw(bad_chunk.into()),
        Fault::Raw(String::new()),
        Fault::json(200, &deep),
        Fault::stream(&format!("data: {}\n\n", "x".repeat(5_000_000))),
        Fault::stream("data: {\"jsonrpc\": nonsense\n\n"),
    ] {
        let mut client = client(&linus);
        linus.fault("tools/call", fault.clone());
        let error = call(&mut client, &chat("hi")).unwrap_err();
        let shown = format!("{fault:.60?}: {error:?}");
        assert!(matches!(error, CallError::Protocol(_) | CallError::Lost(_)), "{shown}");
        assert_eq!(said(&mut client, "hi").as_deref(), Some("you said: hi"), "{shown}");
    }
}

#[test]
fn a_call_is_taken_back_at_once_and_the_next_one_works() {
    for revision in [MODERN, LEGACY] {
        let linus = Linus::start(Setup { revision, ..Setup::default() });
        let mut client = client(&linus);
        said(&mut client, "hi");
        for fault in [Fault::Hang, Fault::stream_then_hang(": here\n\n")] {
            linus.fault("tools/call", fault);
            let (cancel, before) = (Canceller::new(), linus.requests().len());
            let other = cancel.clone();
            let started = Instant::now();
            let result = thread::scope(|scope| {
                scope.spawn(|| {
                    linus.wait_until("call", PATIENCE, |r| {
                        r.requests.iter().skip(before).any(|r| r.rpc() == "tools/call")
                    });
                    other.cancel();
                });
                client.call(&chat("slow"), &cancel, &mut |_| ())
            });
            assert_eq!(result, Err(CallError::Cancelled));
            assert!(started.elapsed() < Duration::from_secs(10));
            assert_eq!(said(&mut client, "hi").as_deref(), Some("you said: hi"));
        }
        let requests = linus.requests();
        let told: Vec<_> = requests.iter().filter(|r| r.rpc() == "notifications/cancelled").collect();
        assert_eq!(told.len(), if revision == MODERN { 0 } else { 2 }, "{revision}");
        for note in told {
            let id = &note.body["params"]["requestId"];
            assert!(requests.iter().any(|r| r.rpc() == "tools/call" && r.id() == id));
        }
    }
}

#[test]
fn a_call_that_was_taken_back_before_it_began_sends_nothing() {
    let linus = Linus::modern();
    let cancel = Canceller::new();
    cancel.cancel();
    let result = client(&linus).call(&chat("hi"), &cancel, &mut |_| ());
    assert_eq!(result, Err(CallError::Cancelled));
    assert_eq!(linus.requests().len(), 0);
}

#[test]
fn dying_before_and_after_the_message_was_sent_are_told_apart_and_a_restart_is_found() {
    for linus in [Linus::modern(), Linus::legacy()] {
        let mut client = client(&linus);
        said(&mut client, "hi");
        linus.fault("tools/call", Fault::Die);
        let error = call(&mut client, &chat("hi")).unwrap_err();
        assert!(matches!(error, CallError::Lost(_)), "{error:?}");
        let error = call(&mut client, &chat("hi")).unwrap_err();
        assert!(matches!(error, CallError::Unreachable(_)), "{error:?}");
        assert_eq!(error.delivery(), Delivery::Not);
        linus.lose_session();
        linus.restart();
        assert_eq!(said(&mut client, "back").as_deref(), Some("you said: back"));
    }
}

#[test]
fn a_failed_handshake_means_that_the_message_never_left() {
    for fault in [Fault::Hang, Fault::json(500, ""), Fault::Raw(String::new()), Fault::json(200, "{}")] {
        let linus = Linus::modern();
        linus.always("tools/list", fault.clone());
        let error = error(&linus);
        assert!(matches!(error, CallError::Unreachable(_)), "{fault:?}: {error:?}");
        assert_eq!(linus.calls().len(), 0);
    }
}

#[test]
fn a_connection_that_was_closed_meanwhile_does_not_disturb_the_handshake() {
    for revision in [MODERN, LEGACY] {
        let linus = Linus::start(Setup { revision, ..Setup::default() });
        for method in ["server/discover", "initialize", "tools/list"] {
            linus.fault(method, Fault::Raw(String::new()));
        }
        hello(&linus);
    }
}

#[test]
fn a_stream_that_speaks_now_and_then_outlives_the_idle_time() {
    let linus = Linus::modern();
    let mut client = hasty(&linus);
    said(&mut client, "hi");
    // A comment every 300 ms, an answer after 1.5 s: more than twice the longest silence of 700 ms.
    linus.fault("tools/call", Fault::Keepalive(5, Duration::from_millis(300)));
    assert_eq!(said(&mut client, "slow").as_deref(), Some("you said: slow"));
}
