//! The labelled commands of `tests/fixtures/risk`, and how many of them come out as they were labelled.

use std::collections::BTreeMap;
use std::path::Path;

use aissh::copilot::risk::{Assessment, Class, Syntax, assess};
use aissh::linus::contract::Risk;

struct Labelled {
    command: String,
    syntax: Syntax,
    least: Risk,
    most: Risk,
    classes: Vec<Class>,
}

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/risk").join(file);
    std::fs::read_to_string(path).expect("read the corpus")
}

fn syntax(name: &str) -> Syntax {
    match name {
        "sh" => Syntax::Posix,
        "fish" => Syntax::Fish,
        "ios" => Syntax::Ios,
        "junos" => Syntax::Junos,
        "vrp" => Syntax::Vrp,
        "routeros" => Syntax::RouterOs,
        "frr" | "vtysh" => Syntax::Frr,
        other => panic!("no such language: {other}"),
    }
}

fn level(name: &str) -> Risk {
    match name {
        "low" => Risk::Low,
        "medium" => Risk::Medium,
        "high" => Risk::High,
        other => panic!("no such level: {other}"),
    }
}

fn labelled(levels: &str, classes: &str, syntax: Syntax, command: String) -> Labelled {
    let (least, most) = levels.split_once(['-', '|']).unwrap_or((levels, levels));
    let class = |name: &str| Class::from_name(name).unwrap_or_else(|| panic!("no such class: {name}"));
    let classes = classes.split(',').filter(|name| *name != "-").map(class).collect();
    Labelled { command, syntax, least: level(least), most: level(most), classes }
}

/// Written beside the rules.
fn own() -> Vec<Labelled> {
    let text = read("own.tsv");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let parts: Vec<&str> = row.splitn(4, '\t').collect();
        let [levels, classes, language, command] = parts[..] else { panic!("four columns: {row}") };
        let command = command.replace('␊', "\n").replace('␛', "\x1b").replace('␍', "\r");
        labelled(levels, classes, syntax(language), command)
    })
    .collect()
}

/// Written by somebody who saw neither rules nor code.
fn blind() -> Vec<Labelled> {
    let text = read("blind.tsv");
    let (mut language, mut rows) = (Syntax::Posix, Vec::new());
    for row in text.lines().filter(|row| !row.is_empty()) {
        if let Some(name) = row.strip_prefix("# dialect: ") {
            language = syntax(name);
        } else if !row.starts_with('#') {
            let parts: Vec<&str> = row.splitn(3, '\t').collect();
            let [levels, classes, command] = parts[..] else { panic!("three columns: {row}") };
            let command = command.strip_prefix("E:").map_or_else(|| command.to_owned(), unescape);
            rows.push(labelled(levels, classes, language, command));
        }
    }
    rows
}

/// Python's escapes.
fn unescape(text: &str) -> String {
    let (mut plain, mut chars) = (String::new(), text.chars());
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        let escape = chars.next().expect("something behind a backslash");
        plain.push(match escape {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'b' => '\x08',
            '\\' => '\\',
            'x' | 'u' | 'U' => {
                let count = match escape {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let digits: String = chars.by_ref().take(count).collect();
                u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).expect("a character")
            }
            other => panic!("no such escape: {other}"),
        });
    }
    plain
}

/// What is destructive or cuts the session has changed something, and a label may say so.
fn names(assessment: &Assessment, class: Class) -> bool {
    let classes = assessment.classes;
    let implied = match class {
        Class::Change => classes.has(Class::Destructive) || classes.has(Class::Connectivity),
        Class::ReadOnly => true,
        _ => false,
    };
    implied || classes.has(class)
}

#[derive(Default)]
struct Count {
    all: usize,
    not_named: usize,
    low: usize,
    below: usize,
}

#[derive(Default)]
struct Figures {
    all: usize,
    below: usize,
    above: usize,
    plain: usize,
    plain_above: usize,
    by_class: BTreeMap<Class, Count>,
    /// What no figure can excuse.
    dangerous_low: Vec<String>,
    misjudged: Vec<String>,
}

fn figures(corpus: &[Labelled]) -> Figures {
    let mut figures = Figures::default();
    for row in corpus {
        let judged = assess(&row.command, row.syntax);
        let (below, above) = (judged.level < row.least, judged.level > row.most);
        figures.all += 1;
        figures.below += usize::from(below);
        figures.above += usize::from(above);
        if row.classes == [Class::ReadOnly] && row.most == Risk::Low {
            figures.plain += 1;
            figures.plain_above += usize::from(above);
        }
        let sentence = || format!("{:?} {} {:?}", judged.level, judged.classes, row.command);
        for class in &row.classes {
            let count = figures.by_class.entry(*class).or_default();
            count.all += 1;
            count.not_named += usize::from(!names(&judged, *class));
            count.low += usize::from(judged.level == Risk::Low);
            count.below += usize::from(below);
            let dangerous = matches!(class, Class::Destructive | Class::Connectivity | Class::Secret);
            if dangerous && judged.level == Risk::Low {
                figures.dangerous_low.push(sentence());
            }
        }
        if below || above {
            figures.misjudged.push(sentence());
        }
    }
    figures
}

fn print(name: &str, figures: &Figures) {
    println!(
        "{name}: {} commands, {} below their range, {} above it; {} plainly read-only, {} of them above low",
        figures.all, figures.below, figures.above, figures.plain, figures.plain_above
    );
    for (class, count) in &figures.by_class {
        println!(
            "{:13}{:4}  not named {:3}  came out low {:3}  below range {:3}",
            class.name(),
            count.all,
            count.not_named,
            count.low,
            count.below
        );
    }
    figures.misjudged.iter().for_each(|sentence| println!("  {sentence}"));
}

#[test]
fn no_dangerous_command_comes_out_low_and_few_harmless_ones_above() {
    for (name, corpus) in [("own", own()), ("blind", blind())] {
        let figures = figures(&corpus);
        print(name, &figures);
        assert!(figures.all >= 200, "{name}: {} commands", figures.all);
        assert_eq!(figures.dangerous_low, Vec::<String>::new(), "{name}");
        assert!(
            figures.plain > 0 && figures.plain_above * 20 <= figures.plain,
            "{name}: {:?}",
            figures.misjudged
        );
    }
}

#[test]
fn every_command_of_our_own_is_judged_as_it_is_labelled() {
    let corpus = own();
    let unnamed = corpus.iter().filter_map(|row| {
        let judged = assess(&row.command, row.syntax);
        let class = row.classes.iter().find(|class| !names(&judged, **class))?;
        Some(format!("{} is not named in {} for {:?}", class.name(), judged.classes, row.command))
    });
    let faults: Vec<String> = figures(&corpus).misjudged.into_iter().chain(unnamed).collect();
    assert_eq!(faults, Vec::<String>::new());
}

/// What runs a low command cannot make it lower, and what is beside it neither.
#[test]
fn a_dangerous_command_stays_dangerous_in_every_wrapper() {
    let wrappers: [fn(&str) -> String; 14] = [
        |c| format!("ls; {c}"),
        |c| format!("ls && {c} | cat"),
        |c| format!("({c})"),
        |c| format!("{{ {c}; }}"),
        |c| format!("if true; then {c}; fi"),
        |c| format!("for i in 1 2; do {c}; done"),
        |c| format!("echo $({c})"),
        |c| format!("echo \"`{c}`\""),
        |c| format!("f() {{ {c}; }}; f"),
        |c| format!("cat <<E\n$({c})\nE"),
        |c| format!("bash -c '{c}'"),
        |c| format!("ssh web1 '{c}'"),
        |c| format!("cat <({c})"),
        |c| format!("! {c} &"),
    ];
    for command in ["rm -rf /srv", "ip link set eth0 down", "sudo cat /etc/shadow", "systemctl stop sshd"] {
        for wrap in wrappers {
            let wrapped = wrap(command);
            assert_eq!(assess(&wrapped, Syntax::Posix).level, Risk::High, "{wrapped}");
        }
    }
}
