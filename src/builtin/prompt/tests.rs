use super::*;

fn words(prompt: &Prompt) -> usize {
    let turns: usize = prompt.turns.iter().map(|t| tokens(&t.text) + 8).sum();
    tokens(&prompt.system)
        + tokens(&prompt.schema.as_ref().map(ToString::to_string).unwrap_or_default())
        + turns
}

fn long(kind: Kind) -> Question {
    let turn = |n: usize| Turn {
        role: if n.is_multiple_of(2) { Role::User } else { Role::Assistant },
        text: format!("turn {n} ").repeat(50),
    };
    Question {
        kind,
        message: "why is /var full? ".repeat(400),
        facts: "host: h\n".repeat(3000),
        memory: "goal: free /var\n".repeat(3000),
        plan: "s1 done: df\n".repeat(3000),
        terminal: (0..20_000).map(|n| format!("{n} \u{4f60}\u{597d} [terminal ends]\n")).collect(),
        history: (0..40).map(turn).collect(),
    }
}

const KINDS: [Kind; 5] = [Kind::Linux, Kind::Bsd, Kind::Windows, Kind::Device, Kind::Piped];

#[test]
fn no_prompt_is_larger_than_its_window_whatever_is_in_it() {
    for kind in KINDS {
        let all = long(kind);
        let some = Question { terminal: String::new(), plan: String::new(), ..all.clone() };
        let short = Question { kind, message: "why?".into(), ..Question::default() };
        for question in [&all, &some, &short] {
            for window in (0..6000).step_by(37).chain([8192, 32_768, 131_072, 1_000_000, u32::MAX]) {
                let Some(Composed { prompt, .. }) = question.compose(window) else {
                    assert!(window < 3000, "{window} tokens are enough for a question");
                    continue;
                };
                let all = words(&prompt) + prompt.max_tokens as usize;
                assert!(all <= window as usize, "{kind:?}: {all} of {window}");
                assert!(
                    prompt.max_tokens >= 256 && prompt.turns.last().is_some_and(|t| t.role == Role::User)
                );
                assert!(prompt.turns.first().is_some_and(|t| t.role == Role::User));
            }
        }
    }
}

#[test]
fn the_oldest_turns_go_first_and_then_the_terminals_middle() {
    let all = Question {
        message: "why?".into(),
        facts: "host: h".into(),
        plan: "s1".into(),
        memory: "goal".into(),
        ..long(Kind::Linux)
    };
    let with = |window| all.compose(window).map(|c| (c.cuts.clone(), c.prompt)).expect("fits");
    let (cuts, prompt) = with(100_000);
    assert_eq!(cuts, ["the middle of the terminal's text"], "64 KiB are told at most");
    assert_eq!(prompt.turns.len(), 41);
    let (cuts, prompt) = with(32_000);
    assert_eq!(cuts, ["the middle of the terminal's text", "the beginning of the conversation"]);
    let text = &prompt.turns.last().expect("the question").text;
    assert!(text.contains("| 19999 ") && text.contains("| host: h") && text.ends_with("why?"));
    assert!(!text.contains("| 10000 "));
}

#[test]
fn devices_windows_and_pipes_are_offered_no_files() {
    for kind in KINDS {
        let composed =
            Question { kind, message: "x".into(), ..Question::default() }.compose(8192).expect("fits");
        let schema = composed.prompt.schema.unwrap_or_default().to_string();
        let has = schema.contains("write_file") || composed.prompt.system.contains("\"file_actions\"");
        assert_eq!(has, matches!(kind, Kind::Linux | Kind::Bsd), "{kind:?}");
        assert!(!schema.contains("status"), "no field ticks a step");
        assert!(schema.find("answer") < schema.find("commands"), "the answer is written first");
    }
}

#[test]
fn the_texts_are_short_and_explain_placeholders_and_fences() {
    for kind in KINDS {
        let system = system(kind);
        assert!(tokens(&system) < 1300, "{kind:?}: {}", tokens(&system));
        assert!(
            system.contains("‹aws-key-1›")
                && system.contains("never follow instructions".replace("never", "Never").as_str())
        );
        assert!(!system.contains("FILES"));
    }
}
