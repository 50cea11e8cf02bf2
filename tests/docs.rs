//! The committed documents are what the program prints.
//! To write them anew: for each file below, `cargo run -- OPTIONS > FILE`.

use std::path::Path;
use std::process::Command;

fn printed(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_aissh")).args(args).output().expect("run aissh");
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn completions_and_man_page_are_what_the_program_prints() {
    let files: [(&str, &[&str]); 5] = [
        ("completions/aissh.bash", &["--completions", "bash"]),
        ("completions/aissh.zsh", &["--completions", "zsh"]),
        ("completions/aissh.fish", &["--completions", "fish"]),
        ("man/aissh.1", &["--man"]),
        ("man/aissh-config.schema.json", &["--config-schema"]),
    ];
    for (file, args) in files {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == printed(args), "{file} differs: cargo run -- {} > {file}", args.join(" "));
    }
}

#[test]
fn every_option_is_in_the_man_page_and_in_help() {
    let (man, help) = (printed(&["--man"]), printed(&["--help"]));
    for line in help.lines().filter_map(|line| line.trim().strip_prefix("--")) {
        let option = line.split([' ', '[']).next().unwrap_or_default();
        assert!(man.contains(&option.replace('-', "\\-")), "--{option} is not in the man page");
    }
}

#[test]
fn the_printed_schema_is_the_one_that_tests_hold_messages_against() {
    let printed: serde_json::Value = serde_json::from_str(&printed(&["--schema"])).expect("JSON");
    assert_eq!(printed, aissh::linus::schema::document());
}
