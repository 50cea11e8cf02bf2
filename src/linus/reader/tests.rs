use super::*;

/// The command of the one card, what is said, and the file of the one file action.
fn parts(text: &str) -> (Option<String>, Option<String>, Option<String>) {
    let envelope = read(&without_thoughts(text));
    let commands = envelope.suggested_commands.map(|s| s.commands).unwrap_or_default();
    let files = envelope.file_actions.map(|f| f.actions).unwrap_or_default();
    assert!(commands.len() + files.len() <= 1, "{text:?}");
    let command = commands.into_iter().next().map(|c| c.command);
    (command, envelope.chat_response.map(|c| c.message), files.into_iter().next().map(|f| f.path))
}

fn command(text: &str) -> Option<String> {
    parts(text).0
}

#[test]
fn thoughts_are_not_said_nested_unended_or_without_a_beginning() {
    for (text, said) in [
        ("<think>hm</think>yes", "yes"),
        ("a <think>x <think>y</think> z</think> b", "a  b"),
        ("<THINK>x</Think>\n\nyes", "yes"),
        ("before <think>and never ended ```json\n{\"command\":\"rm x\"}\n```", "before"),
        ("thoughts from the template\n</think>\nyes", "yes"),
        ("<thinking>x</thinking>yes", "yes"),
        ("<thinker>x</thinker> 1 < 2", "<thinker>x</thinker> 1 < 2"),
        ("<think>", ""),
        ("</think></think>yes", "yes"),
        ("größe <think>ü</think> €", "größe  €"),
    ] {
        assert_eq!(without_thoughts(text), said, "{text:?}");
    }
}

#[test]
fn each_form_of_one_command_is_a_card() {
    for text in [
        "Look:\n```json\n{\"command\": \"df -h\"}\n```",
        "Look:\n~~~ json\n{\"action\": \"command\", \"command\": \"df -h\"}\n~~~\nand tell me",
        "{\"command\": \"df -h\"}",
        "Look:\n\n{\n  \"command\": \"df -h\"\n}\n",
        "Look:\n```bash\ndf -h\n```",
        "Look:\n```sh\n$ df -h\n```\n",
        "Look:\n$ df -h\nand tell me",
        "Look:\n```\n$ df -h\n```",
        "Look:\n```console\n$ df -h\n\n```",
        "<think>```bash\nrm -rf /\n```</think>\n```bash\ndf -h\n```",
        "$ df -h\nthat is: `df -h`\n$ df -h",
    ] {
        assert_eq!(command(text).as_deref(), Some("df -h"), "{text:?}");
    }
}

#[test]
fn json_is_taken_out_of_what_is_said_and_a_command_line_stays() {
    let (_, said, _) = parts("Look:\n```json\n{\"command\": \"df -h\"}\n```\nThen tell me.");
    assert_eq!(said.as_deref(), Some("Look:\nThen tell me."));
    assert_eq!(parts("{\"command\": \"df -h\"}").1, None);
    assert_eq!(parts("Look:\n```bash\ndf -h\n```").1.as_deref(), Some("Look:\n```bash\ndf -h\n```"));
}

#[test]
fn several_half_or_disagreeing_actions_are_text() {
    for text in [
        "```json\n{\"command\": \"a\"}\n```\n```json\n{\"command\": \"b\"}\n```",
        "{\"command\": \"a\"}\n{\"command\": \"b\"}",
        "[{\"command\": \"a\"}]",
        "```bash\na\nb\n```",
        "```bash\na\n```\n```bash\nb\n```",
        "$ a\n$ b",
        "```bash\na\n```\n$ b",
        "```bash\na",
        "```json\n{\"command\": \"a\"}",
        "```json\n{\"command\": \"a\"\n```",
        "```json\n{\"command\": [\"a\"]}\n```",
        "```json\n{\"command\": \"\"}\n```",
        "```json\n{\"action\": \"dance\", \"command\": \"a\"}\n```",
        "```json\n{\"action\": \"write_file\", \"path\": \"/a\", \"content\": \"x\", \"command\": \"a\"}\n```",
        "```console\n$ df -h\n/dev/sda1 98%\n```",
        "```\n/dev/sda1 98%\n```",
        "```python\nprint(1)\n```",
        "use `df -h` or `du`",
        "> $ quoted",
        "it costs 5 $ a month",
        "",
    ] {
        let (command, said, file) = parts(text);
        assert_eq!((command, file), (None, None), "{text:?}");
        assert_eq!(said.unwrap_or_default(), text.trim(), "{text:?}");
    }
}

#[test]
fn a_json_action_counts_before_examples_in_the_text() {
    let text = "`df` shows it:\n```bash\ndf -h\n```\n```json\n{\"command\": \"du -x /var\", \"description\": \"who\", \
                \"risk\": \"medium\"}\n```";
    let card = read(text).suggested_commands.unwrap().commands.remove(0);
    assert_eq!(
        (card.command.as_str(), card.description.as_str(), card.risk),
        ("du -x /var", "who", Risk::Medium)
    );
    assert_eq!(read(text).chat_response.unwrap().mentions, [card.id]);
}

#[test]
fn a_file_action_of_any_spelling_is_one() {
    for text in [
        "```json\n{\"action\":\"write_file\",\"path\":\"/tmp/a\",\"content\":[\"x\",\"y\"]}\n```",
        "{\"type\":\"fileWrite\",\"path\":\"/tmp/a\",\"content\":\"x\"}",
        "ok\n{\"action\":\"update_file\",\"path\":\"/tmp/a\",\"mode\":\"replace\",\"oldContent\":\"a\",\"content\":\"{\\n}\"}",
    ] {
        assert_eq!(parts(text).2.as_deref(), Some("/tmp/a"), "{text:?}");
    }
}

#[test]
fn the_same_command_is_the_same_card_again() {
    let id = |text: &str| read(text).suggested_commands.unwrap().commands.remove(0).id;
    assert_eq!(id("$ df -h"), id("```bash\ndf -h\n```"));
    assert_ne!(id("$ df -h"), id("$ df"));
}

/// Texts by chance from the pieces that mean something, each from a seed that the failure prints.
#[test]
fn any_text_is_read_without_a_panic_and_has_one_action_at_most() {
    const PIECES: [&str; 25] = [
        "<think>",
        "</think>",
        "```",
        "~~~",
        "```json\n",
        "```bash\n",
        "\n",
        "\n```\n",
        "{",
        "}",
        "\"",
        "{\"command\": \"df\"}",
        "{\"action\":\"write_file\",\"path\":\"/a\",\"content\":\"\"}",
        "$ ",
        "$ ls\n",
        " ",
        "ü€😀",
        "\u{202e}",
        "\u{1b}[31m",
        "\\",
        "[",
        "]",
        ":",
        "    ```",
        "````",
    ];
    for seed in 0..20_000_u64 {
        let mut state = seed;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let count = next(24);
        let text: String = (0..count).map(|_| PIECES[next(PIECES.len())]).collect();
        let (command, said, file) = parts(&text);
        assert!(command.is_none() || file.is_none(), "seed {seed}: {text:?}");
        assert!(said.map_or(0, |s| s.len()) <= text.len(), "seed {seed}: {text:?}");
        let _ = whole_json(&text);
    }
}

#[test]
fn a_text_of_megabytes_takes_linear_time() {
    // Quadratic, each of these would take minutes.
    for piece in [
        "<think>",
        "</think>",
        "```\n",
        "{\n",
        "$ a\n",
        "~~~json\n{\n~~~\n",
        "}",
        "<",
        "{\"command\":\"a\"}\n",
    ] {
        let text = piece.repeat(1024 * 1024 / piece.len()) + "}";
        let _ = parts(&text);
    }
}
