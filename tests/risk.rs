//! What is thought of commands: the labelled corpora, hostile text, and `aissh --risk`.

#[path = "risk/corpus.rs"]
mod corpus;
#[path = "risk/fuzz.rs"]
mod fuzz;

use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn the_program_prints_level_classes_and_reason_of_each_line() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_aissh"))
        .arg("--risk")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("run aissh --risk");
    let input = b"ls /etc/\nip link set eth0 down\n\nrm -rf \xff\nsudo ls";
    program.stdin.take().expect("its input").write_all(input).expect("write");
    let output = program.wait_with_output().expect("its end");
    let text = String::from_utf8(output.stdout).expect("text");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    let heads: Vec<&[&str]> = rows.iter().map(|row| &row[..2]).collect();
    assert!(output.status.success());
    assert_eq!(
        heads,
        [
            ["low", "read-only"],
            ["high", "connectivity"],
            ["low", "read-only"],
            ["high", "destructive"],
            ["low", "read-only,privilege"]
        ],
        "{text}"
    );
    assert_eq!(rows[1][2], "ip: changes addresses, links or routes");
}
