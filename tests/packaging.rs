//! What the packages are to hold, from Cargo.toml. Building and installing them is `scripts/package`'s, which takes a
//! release build and two tools.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Where each package has it, and its mode, by what it is in this folder.
type Assets = BTreeMap<String, (String, String)>;

fn metadata(tool: &str) -> toml::Table {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let manifest: toml::Table = toml::from_str(&std::fs::read_to_string(manifest).unwrap()).unwrap();
    manifest["package"]["metadata"][tool].as_table().unwrap().clone()
}

fn text(value: &toml::Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn deb() -> Assets {
    let rows = metadata("deb")["assets"].as_array().unwrap().clone();
    rows.iter().map(|row| (text(&row[0]), (format!("/{}", text(&row[1])), text(&row[2])))).collect()
}

fn rpm() -> Assets {
    let rows = metadata("generate-rpm")["assets"].as_array().unwrap().clone();
    rows.iter().map(|row| (text(&row["source"]), (text(&row["dest"]), text(&row["mode"])))).collect()
}

#[test]
fn everything_that_is_packaged_is_there_and_only_the_program_can_be_run() {
    for (source, (place, mode)) in deb().into_iter().chain(rpm()) {
        if source == "target/release/aissh" {
            assert_eq!((place.as_str(), mode.as_str()), ("/usr/bin/aissh", "755"));
            continue;
        }
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(&source).is_file(), "{source}");
        assert_eq!(mode, "644", "{source}");
    }
}

#[test]
fn both_packages_hold_the_same_things_and_all_of_man_and_completions() {
    // Debian has the licences in one file of its own making.
    let licences = ["LICENSE-MIT", "LICENSE-APACHE", "scripts/lib/copyright"];
    let sources = |assets: Assets| -> BTreeSet<String> {
        assets.into_keys().filter(|source| !licences.contains(&source.as_str())).collect()
    };
    assert_eq!(sources(deb()), sources(rpm()));
    assert!(rpm().contains_key("LICENSE-MIT") && rpm().contains_key("LICENSE-APACHE"));
    assert!(deb().contains_key("scripts/lib/copyright"));
    for folder in ["man", "completions"] {
        for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{folder}/{}", entry.file_name().into_string().unwrap());
            assert!(entry.path().is_dir() || deb().contains_key(&name), "{name} is in no package");
        }
    }
}

#[test]
fn each_shell_finds_its_completions_where_its_system_looks() {
    let places = [
        (deb(), "completions/aissh.bash", "/usr/share/bash-completion/completions/aissh"),
        (deb(), "completions/aissh.zsh", "/usr/share/zsh/vendor-completions/_aissh"),
        (rpm(), "completions/aissh.zsh", "/usr/share/zsh/site-functions/_aissh"),
        (rpm(), "completions/aissh.fish", "/usr/share/fish/vendor_completions.d/aissh.fish"),
        (rpm(), "man/aissh.1", "/usr/share/man/man1/aissh.1"),
    ];
    for (assets, source, place) in places {
        assert_eq!(assets[source].0, place);
    }
}

#[test]
fn the_copyright_file_has_the_licence_as_it_is() {
    let read =
        |file: &str| std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    assert!(read("scripts/lib/copyright").contains(read("LICENSE-MIT").trim()));
}
