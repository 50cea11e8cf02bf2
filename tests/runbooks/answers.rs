//! `--ask` with every recorded output: no question is left without an answer, and what the answers look like.

use super::cases::recorded;
use super::story::said;
use aissh::ask::request;
use aissh::builtin::Builtin;
use aissh::linus::contract::Envelope;

/// What says who answers; it is no answer.
const SIGNATURE: &str = "I am the built-in Linus: runbooks, no model.";

fn is_blank(answer: &str) -> bool {
    answer.replace(SIGNATURE, "").trim().is_empty()
}

#[test]
fn no_question_with_any_recorded_output_has_an_empty_answer() {
    let questions = [
        "explain this",
        "what does this mean",
        "is this certificate fine",
        "which process listens on 22931",
        "why is it slow",
        "permission denied on /srv/data/report.csv",
        "how do I exit vim",
        "?",
    ];
    let linus = Builtin::new();
    let mut empty = Vec::new();
    let outputs = recorded();
    assert!(outputs.len() > 300, "{} recorded outputs", outputs.len());
    for (name, output) in &outputs {
        for question in questions {
            let answer = said(&linus.sibling().handle(&request(question, output.clone())));
            if is_blank(&answer) {
                empty.push(format!("{name}: {question}"));
            }
        }
    }
    assert!(empty.is_empty(), "{} empty answers\n{}", empty.len(), empty.join("\n"));
}

/// What was piped, the question, and what its answer must hold: a number or a name that is in the output.
const TRANSCRIPT: [(&str, &str, &str); 18] = [
    ("disk-full/df-h", "why is /var full", "724M of 739M"),
    ("disk-full/du-var", "what takes the space", "542M of 664M"),
    ("memory/free-h", "is memory short", "available"),
    ("runaway-process/top", "what eats the cpu", "pid"),
    ("runaway-process/ps-list", "which process eats the cpu", "pid 881"),
    ("port-in-use/ss-all", "which process listens on 22931", "pid 690"),
    ("interface-down/link", "why is eth0 down", "eth0 is switched off"),
    ("failed-unit/status", "why did app.service fail", "app.service has failed"),
    ("crash-loop/journal", "what happened", "restarted 4 times"),
    ("oom-kill/dmesg", "what happened", "python3 (pid 21748)"),
    ("docker-restarting/ps", "what is wrong", "worker is restarting"),
    ("kube-pod/pods", "what is wrong", "CrashLoopBackOff"),
    ("nginx-config/test", "explain this", "/etc/nginx"),
    ("tls-certificate/dates", "is this certificate fine", "Dec 31"),
    ("stack-trace/python", "explain this", "line "),
    ("stack-trace/java", "explain this", "Main.java"),
    ("stack-trace/go", "explain this", "main.go"),
    ("stack-trace/node", "explain this", "app.js"),
];

#[test]
fn transcript_of_piped_output() {
    let outputs = recorded();
    let linus = Builtin::new();
    let mut failures = Vec::new();
    for (name, question, wanted) in TRANSCRIPT {
        let (_, output) = outputs.iter().find(|(n, _)| n == name).unwrap_or_else(|| panic!("no {name}"));
        let envelope = linus.sibling().handle(&request(question, output.clone()));
        let answer = said(&envelope);
        println!("$ … | aissh --ask '{question}'    # {name}\n{answer}{}", next(&envelope));
        if !answer.contains(wanted) || answer.starts_with("I don't know") {
            failures.push(format!("{name}: no `{wanted}` in: {answer}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    let answer = said(&linus.sibling().handle(&request("how do I exit vim", "hello\nworld\n".into())));
    println!("$ … | aissh --ask 'how do I exit vim'    # two words\n{answer}");
    assert!(answer.contains("I don't know"), "{answer}");
}

fn next(envelope: &Envelope) -> String {
    let cards = envelope.suggested_commands.iter().flat_map(|list| &list.commands);
    cards.map(|c| format!("\n  {}    ({:?})", c.command, c.risk)).collect::<String>() + "\n"
}
