//! Imports point down only, and files form no cycles.
//!
//! A graph stays acyclic over time only if a machine looks at it. Each file of `src` is a node; a path into the
//! crate is an edge to the file that defines the name (`use` is followed, so importing a sibling's type
//! through the parent counts as importing the sibling). `mod` lines and test code make no edges, nor does a
//! submodule that names what its own parent defines: `impl Session` in five files is one unit in five files.

#[path = "support/imports.rs"]
mod imports;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path as FilePath;

use imports::{Path, Source};

/// The top-level modules, from the ground up; those of one row are one layer.
const LAYERS: &[&[&str]] = &[
    &["error", "private", "random", "text"],
    &["ssh"],
    &["terminal"],
    &["shell"],
    &["linus"],
    &["doors", "models"],
    &["copilot"],
    &["control", "facts", "files"],
    &["ui"],
    &["builtin"],
    &["agents"],
    &["record"],
    &[
        "config",
        "cli",
        "trust",
        "login",
        "peers",
        "ask",
        "incident",
        "risk",
        "runbooks",
        "destination",
        "show_config",
        "check",
        "session",
        "serve",
        "sessions",
    ],
];

/// The crate as (path below `src`, text).
type Files = Vec<(String, String)>;

#[test]
fn imports_of_this_crate_point_down_and_form_no_cycle() {
    let files = crate_files();
    assert!(files.iter().any(|(name, _)| name == "lib.rs"), "src was not found");
    let faults = check(&files);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn crate_files() -> Files {
    let src = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut files, mut folders) = (Vec::new(), vec![src.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("read a folder of src") {
            let path = entry.expect("read an entry of src").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(&src).expect("below src").display().to_string();
                files.push((name, std::fs::read_to_string(&path).expect("read a source file")));
            }
        }
    }
    files.sort();
    files
}

/// Every fault as a sentence.
fn check(files: &Files) -> Vec<String> {
    let graph = Graph::new(files);
    let mut faults = graph.upward();
    faults.extend(graph.cycles());
    faults
}

struct Graph {
    sources: BTreeMap<Path, Source>,
    edges: BTreeMap<Path, BTreeSet<Path>>,
}

impl Graph {
    fn new(files: &Files) -> Self {
        let modules: BTreeSet<Path> = files.iter().filter_map(|(name, _)| module_of(name)).collect();
        let mut sources = BTreeMap::new();
        for (name, text) in files {
            let Some(module) = module_of(name) else { continue };
            let is_child = |m: &&Path| m.len() == module.len() + 1 && m.starts_with(&module);
            let children: Vec<String> =
                modules.iter().filter(is_child).filter_map(|m| m.last().cloned()).collect();
            sources.insert(module.clone(), imports::read(text, &module, &children));
        }
        let mut graph = Self { sources, edges: BTreeMap::new() };
        for (module, source) in &graph.sources {
            let targets = source.imports.iter().filter_map(|path| graph.definer(path, 0));
            let targets = targets.filter(|target| target.is_empty() || !module.starts_with(target)).collect();
            graph.edges.insert(module.clone(), targets);
        }
        graph
    }

    /// The file that defines what `path` names.
    fn definer(&self, path: &[String], hops: usize) -> Option<Path> {
        // Long enough for any chain of re-exports; a ring of them is rustc's to refuse.
        const HOPS: usize = 8;
        let known = (0..=path.len()).rev().find(|&len| self.sources.contains_key(&path[..len]))?;
        let (module, rest) = path.split_at(known);
        let exports = &self.sources[module].exports;
        let onward = rest.first().filter(|_| hops < HOPS).and_then(|name| {
            exports
                .iter()
                .find(|(exported, target)| exported == name && target != path)
                .map(|(_, target)| target)
        });
        match onward {
            Some(target) => self.definer(target, hops + 1),
            None => Some(module.to_vec()),
        }
    }

    fn upward(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for (from, targets) in &self.edges {
            let Some(above) = layer_of(from) else {
                faults.push(format!("{} is in no layer: add it to LAYERS in tests/layers.rs", show(from)));
                continue;
            };
            for to in targets {
                if layer_of(to).is_some_and(|below| below > above) {
                    faults.push(format!("{} imports from {}, which is above it", show(from), show(to)));
                }
            }
        }
        faults
    }

    /// Each cycle once, found by walking down from every file.
    fn cycles(&self) -> Vec<String> {
        let (mut faults, mut done) = (Vec::new(), BTreeSet::new());
        for module in self.edges.keys() {
            self.walk(module, &mut Vec::new(), &mut done, &mut faults);
        }
        faults
    }

    fn walk(&self, at: &Path, trail: &mut Vec<Path>, done: &mut BTreeSet<Path>, faults: &mut Vec<String>) {
        if let Some(start) = trail.iter().position(|module| module == at) {
            let ring: Vec<String> = trail[start..].iter().chain([at]).map(show).collect();
            faults.push(format!("a cycle: {}", ring.join(" -> ")));
        } else if !done.contains(at) {
            trail.push(at.clone());
            for next in self.edges.get(at).into_iter().flatten() {
                self.walk(next, trail, done, faults);
            }
            trail.pop();
            done.insert(at.clone());
        }
    }
}

/// `shell/mod.rs` and `shell.rs` are `["shell"]`, `lib.rs` is the root. `None`: not part of the graph.
fn module_of(file: &str) -> Option<Path> {
    let path = file.strip_suffix(".rs")?;
    let path = path.strip_suffix("/mod").unwrap_or(path);
    let mut parts: Path = path.split('/').map(str::to_owned).collect();
    match parts.last().map(String::as_str) {
        // The binary's root stands on the library from outside; `tests` files are test code.
        Some("main") if parts.len() == 1 => return None,
        Some("tests") => return None,
        Some("lib") if parts.len() == 1 => parts.clear(),
        _ => {}
    }
    Some(parts)
}

/// The root of the crate is above everything.
fn layer_of(module: &[String]) -> Option<usize> {
    match module.first() {
        None => Some(LAYERS.len()),
        Some(top) => LAYERS.iter().position(|layer| layer.contains(&top.as_str())),
    }
}

fn show(module: &Path) -> String {
    if module.is_empty() { "lib".to_owned() } else { module.join("::") }
}

// The checker itself.

fn faults_of(files: &[(&str, &str)]) -> Vec<String> {
    check(&files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect())
}

#[test]
fn an_import_from_a_layer_above_is_found_in_every_spelling() {
    let spellings = [
        "use crate::ui::Panel;",
        "use crate::{error::Error, ui::Panel};",
        "use crate::{\n    error::Error,\n    ui::{self, Panel as P},\n};",
        "pub use crate::ui::*;",
        "fn draw() { crate::ui::draw() }",
        "fn draw(_: &'static crate::ui::Panel) {}",
        "use super::super::ui;",
        "mod inner { use super::super::super::ui::Panel; }",
        "const QUOTE: char = '\"'; use crate::ui::Panel;",
        "#[cfg(test)] mod tests { fn f() {} } use crate::ui::Panel;",
    ];
    for text in spellings {
        let faults = faults_of(&[("error.rs", ""), ("ui/mod.rs", ""), ("shell/facts.rs", text)]);
        assert_eq!(faults, ["shell::facts imports from ui, which is above it"], "{text}");
    }
}

#[test]
fn what_is_no_import_is_not_taken_for_one() {
    let innocent = [
        "// use crate::ui::Panel;",
        "/* use /* nested */ crate::ui::Panel; */",
        "//! [`crate::ui::Panel`]",
        "const TEXT: &str = \"use crate::ui::Panel;\";",
        "const TEXT: &str = r#\"crate::ui::Panel \" crate::ui\"#;",
        "use std::crate_like::ui;",
        "#[cfg(test)] mod tests { use crate::ui::Panel; }",
        "#[cfg(test)] use crate::ui::Panel;",
    ];
    for text in innocent {
        let faults = faults_of(&[("ui/mod.rs", ""), ("shell/facts.rs", text)]);
        assert!(faults.is_empty(), "{text}: {faults:?}");
    }
}

#[test]
fn imports_that_point_down_are_fine() {
    let files = [
        ("lib.rs", "pub mod error; mod shell; use crate::ui::run; pub fn main() { ui::run() }"),
        ("error.rs", ""),
        ("shell/mod.rs", "mod facts; mod track; pub use facts::State;"),
        ("shell/facts.rs", "use crate::error::Error;"),
        ("shell/track.rs", "use super::State; use crate::shell::facts::Facts;"),
        ("ui.rs", "use crate::shell::State;"),
    ];
    assert_eq!(faults_of(&files), Vec::<String>::new());
}

#[test]
fn a_cycle_between_files_of_one_layer_is_found() {
    let files = [
        ("shell/mod.rs", "mod a; mod b; mod c; pub use c::Third;"),
        ("shell/a.rs", "use super::b::Second;"),
        ("shell/b.rs", "use crate::shell::Third;"),
        ("shell/c.rs", "fn f() { super::a::first() }"),
    ];
    assert_eq!(faults_of(&files), ["a cycle: shell::c -> shell::a -> shell::b -> shell::c"]);
}

#[test]
fn a_submodule_may_name_what_its_parent_defines_but_not_the_parents_siblings_above() {
    let files = [
        ("shell/mod.rs", "mod track; use track::Tracker; pub struct Observer;"),
        ("shell/track.rs", "use super::Observer; pub struct Tracker;"),
        ("ui.rs", ""),
        ("shell/high.rs", "use super::super::ui::Panel;"),
    ];
    assert_eq!(faults_of(&files), ["shell::high imports from ui, which is above it"]);
}

#[test]
fn a_module_that_the_table_does_not_know_is_a_fault() {
    let faults = faults_of(&[("misc.rs", "")]);
    assert_eq!(faults, ["misc is in no layer: add it to LAYERS in tests/layers.rs"]);
}
