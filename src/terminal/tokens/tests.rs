use super::*;

fn tokens(chunks: &[&[u8]]) -> Vec<String> {
    let mut tokenizer = Tokenizer::new();
    let mut all = Vec::<String>::new();
    for chunk in chunks {
        let mut rest = *chunk;
        loop {
            let (used, token) = tokenizer.next(rest);
            let Some(token) = token else {
                assert_eq!(used, rest.len());
                break;
            };
            match token {
                Token::Text(text) => {
                    let text = String::from_utf8_lossy(text).into_owned();
                    match all.last_mut() {
                        Some(last) if last.starts_with("T:") => last.push_str(&text),
                        _ => all.push(format!("T:{text}")),
                    }
                }
                Token::Osc(payload) => all.push(format!("O:{}", String::from_utf8_lossy(payload))),
                other => all.push(format!("{other:?}")),
            }
            rest = &rest[used..];
        }
    }
    all
}

const STREAM: &[u8] = b"ab\r\n\x1b[1;31mred\x1b]0;ti;tle\x07x\x1b]133;A\x1b\\\x0e\x1b(0q\x1b[?1\n049h\
    \x1b[12\x18z\x1bPq#0\x1b\\\x1b_apc\x07\x1b\\y\x1b]broken\x1b[Kw\x1b\\v";

#[test]
fn a_stream_gives_the_same_tokens_at_every_split() {
    let whole = tokens(&[STREAM]);
    assert!(whole.contains(&"O:0;ti;tle".to_owned()) && whole.contains(&"O:133;A".to_owned()), "{whole:?}");
    assert!(!whole.iter().any(|t| t.contains("broken")));
    assert_eq!(whole.last().map(String::as_str), Some("T:wv"));
    for at in 0..STREAM.len() {
        assert_eq!(tokens(&[&STREAM[..at], &STREAM[at..]]), whole, "split at {at}");
    }
    let bytes: Vec<&[u8]> = STREAM.chunks(1).collect();
    assert_eq!(tokens(&bytes), whole);
}

#[test]
fn a_picture_is_told_however_long_it_is_and_however_it_is_split() {
    let long = "~".repeat(3 * OSC_LIMIT);
    for opener in ["\x1bP0;1;0q", "\x1b_Gf=24,a=T;", "\x1b]1337;File=name=eA==:"] {
        let picture = format!("a{opener}{long}\x1b\\b");
        let bytes = picture.as_bytes();
        for at in [1, 2, 5, opener.len() + 1, bytes.len() - 3, bytes.len() - 2] {
            assert_eq!(tokens(&[&bytes[..at], &bytes[at..]]), ["T:a", "Image", "T:b"], "{opener:?} {at}");
        }
    }
    // Questions, deletions, and later parts of the same picture.
    for other in ["\x1bP+q544e", "\x1b_Ga=q,i=1;", "\x1b_Gm=0;", "\x1b]1337;CurrentDir=/"] {
        let all = tokens(&[format!("{other}\x1b\\").as_bytes()]);
        assert!(!all.contains(&"Image".to_owned()), "{other:?}: {all:?}");
    }
}

#[test]
fn unterminated_strings_are_capped_and_swallowed_to_their_end() {
    let mut tokenizer = Tokenizer::new();
    tokenizer.next(b"\x1b]52;c;");
    for _ in 0..100 {
        assert_eq!(tokenizer.next(&[b'A'; 4096]).1, None);
        assert!(tokenizer.body.capacity() <= 2 * OSC_LIMIT);
    }
    assert_eq!(tokenizer.next(b"A\x07B"), (3, Some(Token::Text(b"B"))));
}

#[test]
fn pending_bytes_bring_a_second_tokenizer_to_the_same_place() {
    for at in 0..STREAM.len() {
        let (before, after) = STREAM.split_at(at);
        let mut first = Tokenizer::new();
        let mut rest = before;
        while !rest.is_empty() {
            let (used, _) = first.next(rest);
            rest = &rest[used..];
        }
        let pending = first.pending();
        assert_eq!(first.is_ground(), pending.is_empty(), "at {at}");
        let (tail, expected) = (tokens(&[&pending, after]), tokens(&[before, after]));
        let common = tail.iter().rev().zip(expected.iter().rev()).take_while(|(a, b)| a == b).count();
        let merged = common + 1 == tail.len()
            && expected[expected.len() - tail.len()].trim_start_matches("T:").ends_with(&tail[0][2..]);
        assert!(common == tail.len() || merged, "at {at}: {tail:?}");
    }
}

#[test]
fn a_split_character_is_not_ground() {
    let mut tokenizer = Tokenizer::new();
    tokenizer.next("aé".as_bytes());
    assert!(tokenizer.is_ground());
    tokenizer.next(b"\xe2\x94");
    assert!(!tokenizer.is_ground());
    assert_eq!(tokenizer.pending(), b"\xe2\x94");
    tokenizer.next(b"\x80");
    assert!(tokenizer.is_ground());
}

#[test]
fn malformed_control_sequences_are_nothing() {
    assert_eq!(tokens(&[b"\x1b[1?2ma"]), ["T:a"]);
    assert_eq!(tokens(&[b"\x1b[ 1qa"]), ["T:a"]);
}
