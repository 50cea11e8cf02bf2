//! Completion scripts for bash, zsh and fish.
//!
//! aissh's own options are long and stand before the destination; everything else on the command line is ssh's,
//! so it is handed to the completion that the system has for ssh. This file only writes the scripts: it does
//! not know which options there are.

/// A shell that a script can be written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// One option of aissh's own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opt<'a> {
    /// Without the two dashes.
    pub(crate) long: &'a str,
    /// What its value is called, if it takes one. `FILE` completes files, `a|b` these words, else nothing.
    pub(crate) value: Option<&'a str>,
    pub(crate) help: &'a str,
}

/// Letters of ssh's options that take a value in the next word (ssh.c's getopt string): needed to tell a value
/// from the destination.
const SSH_VALUE_LETTERS: &str = "BDEFIJLOPQRSWbceilmopw";

/// The script for `shell`, newline at the end.
pub(crate) fn script(shell: Shell, options: &[Opt<'_>]) -> String {
    let (template, own, valued, values) = match shell {
        Shell::Bash => (BASH, words(options), valued(options, "|"), posix_values(options, bash_value)),
        Shell::Zsh => (ZSH, zsh_options(options), valued(options, "|"), posix_values(options, zsh_value)),
        Shell::Fish => (FISH, fish_options(options), valued(options, " "), String::new()),
    };
    template
        .replace("@LETTERS@", SSH_VALUE_LETTERS)
        .replace("@VALUED@", &valued)
        .replace("@VALUES@", &values)
        .replace("@OWN@", &own)
}

fn words(options: &[Opt<'_>]) -> String {
    options.iter().map(|option| format!("--{}", option.long)).collect::<Vec<_>>().join(" ")
}

/// The options that take a value, as alternatives; the empty word where there is none.
fn valued(options: &[Opt<'_>], separator: &str) -> String {
    let valued = options.iter().filter(|option| option.value.is_some());
    let names: Vec<String> = valued.map(|option| format!("--{}", option.long)).collect();
    if names.is_empty() { "''".to_owned() } else { names.join(separator) }
}

/// Branches of a `case` over the option before the cursor.
fn posix_values(options: &[Opt<'_>], complete: fn(&str) -> String) -> String {
    let valued = options.iter().filter_map(|option| option.value.map(|value| (option.long, value)));
    let branches = valued.map(|(long, value)| format!("        --{long}) {} ;;\n", complete(value)));
    branches.collect()
}

fn bash_value(value: &str) -> String {
    match value {
        "FILE" => "mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") && compopt -o filenames".to_owned(),
        choice if choice.contains('|') => {
            format!("mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$cur\")", choice.replace('|', " "))
        }
        _ => ":".to_owned(),
    }
}

fn zsh_value(value: &str) -> String {
    match value {
        "FILE" => "_files".to_owned(),
        choice if choice.contains('|') => format!("compadd -- {}", choice.replace('|', " ")),
        name => format!("_message '{}'", name.to_lowercase()),
    }
}

fn zsh_options(options: &[Opt<'_>]) -> String {
    let line = |option: &Opt<'_>| {
        // _describe ends the name at the first colon; the help may have colons of its own.
        format!("    '--{}:{}'\n", option.long, option.help.replace('\'', r"'\''"))
    };
    options.iter().map(line).collect()
}

fn fish_options(options: &[Opt<'_>]) -> String {
    let line = |option: &Opt<'_>| {
        let value = match option.value {
            None => String::new(),
            Some("FILE") => " -r -F".to_owned(),
            Some(choice) if choice.contains('|') => format!(" -x -a '{}'", choice.replace('|', " ")),
            Some(_) => " -x".to_owned(),
        };
        let help = option.help.replace('\\', r"\\").replace('\'', r"\'");
        format!("complete -c aissh -n __aissh_before_destination -l {}{value} -d '{help}'\n", option.long)
    };
    options.iter().map(line).collect()
}

const BASH: &str = r#"# bash completion for aissh: its own options here, the rest by the completion for ssh.
# Written by: aissh --completions bash

_aissh() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} own=1 skip='' i word
    local words=(ssh)
    COMPREPLY=()
    # What ssh's completion is to see: the line without our own options. A destination ends those.
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $skip == own ]]; then
            skip='' && continue
        elif [[ $skip == ssh ]]; then
            skip=''
        elif [[ $own == 1 && $word == --?* ]]; then
            case $word in @VALUED@) skip=own ;; esac
            continue
        elif [[ $own == 1 && $word =~ ^-[^@LETTERS@-]*[@LETTERS@]$ ]]; then
            skip=ssh
        elif [[ $word != -* || $word == -- ]]; then
            own=0
        fi
        words+=("$word")
    done
    if [[ $skip == own ]]; then
        case $prev in
@VALUES@        esac
        return
    fi
    if [[ $own == 1 && $cur == --* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '@OWN@' -- "$cur")
        return
    fi
    _aissh_as_ssh "${words[@]}" "$cur"
}

_aissh_as_ssh() {
    local complete
    # The loader's name differs between versions of bash-completion; without it there is nothing to hand over to.
    complete -p ssh &> /dev/null || _comp_load ssh 2> /dev/null || __load_completion ssh 2> /dev/null
    complete=$(complete -p ssh 2> /dev/null) || return
    [[ $complete =~ -F\ ([^ ]+) ]] || return
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
    COMP_POINT=${#COMP_LINE}
    "${BASH_REMATCH[1]}" ssh "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
}

complete -F _aissh aissh
"#;

const ZSH: &str = r#"#compdef aissh
# zsh completion for aissh: its own options here, the rest by the completion for ssh.
# Written by: aissh --completions zsh

_aissh() {
  local own=1 skip='' word i
  local -a options rest
  options=(
@OWN@  )
  rest=(ssh)
  # What ssh's completion is to see: the line without our own options. A destination ends those.
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    if [[ $skip == own ]]; then
      skip=''; continue
    elif [[ $skip == ssh ]]; then
      skip=''
    elif [[ $own == 1 && $word == --?* ]]; then
      case $word in @VALUED@) skip=own ;; esac
      continue
    elif [[ $own == 1 && $word =~ '^-[^@LETTERS@-]*[@LETTERS@]$' ]]; then
      skip=ssh
    elif [[ $word != -* || $word == -- ]]; then
      own=0
    fi
    rest+=("$word")
  done
  if [[ $skip == own ]]; then
    case $words[CURRENT-1] in
@VALUES@    esac
    return
  fi
  if [[ $own == 1 && $PREFIX == --* ]]; then
    _describe -o option options
    return
  fi
  local service=ssh
  words=("${rest[@]}" "$words[CURRENT]")
  CURRENT=$#words
  (( $+functions[_ssh] )) || autoload -Uz _ssh
  _ssh
}

_aissh "$@"
"#;

const FISH: &str = r"# fish completion for aissh: its own options here, the rest by the completion for ssh.
# Written by: aissh --completions fish

complete -c aissh --wraps ssh

function __aissh_before_destination
    set -l skip 0
    for word in (commandline -opc)[2..]
        if test $skip = 1
            set skip 0
        else if contains -- $word @VALUED@
            set skip 1
        else if string match -qr -- '^-[^@LETTERS@-]*[@LETTERS@]$' $word
            set skip 1
        else if not string match -qr -- '^-' $word; or test $word = --
            return 1
        end
    end
    return 0
end

@OWN@";
