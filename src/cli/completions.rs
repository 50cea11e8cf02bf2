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
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} own=1 skip='' i word gap
    # What ssh's completion is to see: the line without our own options. A destination ends those. Words that are not set
    # apart on the line (joe, @ and host) must not be there either.
    local words=(ssh) line=ssh rest=${COMP_LINE#*"${COMP_WORDS[0]}"}
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        gap=${rest%%"$word"*} rest=${rest#*"$word"}
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
        words+=("$word") line+=$gap$word
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
    gap=${rest%%[![:blank:]]*}
    _aissh_as_ssh "${2-$cur}" "$line$gap$cur" "${words[@]}" "$cur"
    # A single dash may become either's.
    if [[ $own == 1 && $cur == - ]]; then
        COMPREPLY+=(@OWN@)
    fi
}

_aissh_as_ssh() {
    local complete typed=$1 line=$2
    shift 2
    # The loader's name differs between versions of bash-completion.
    complete -p ssh &> /dev/null || _comp_load ssh 2> /dev/null || __load_completion ssh 2> /dev/null
    complete=$(complete -p ssh 2> /dev/null)
    if ! [[ $complete =~ -F\ ([^ ]+) ]]; then
        _aissh_hosts "$typed"
        return
    fi
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE=$line
    COMP_POINT=${#COMP_LINE}
    "${BASH_REMATCH[1]}" ssh "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
}

# Without bash-completion: the hosts that ssh's files name, after a user and @ as well.
_aissh_hosts() {
    local user='' cur=$1 line word words hosts=()
    [[ $cur != *@* ]] || user=${cur%@*}@ cur=${cur##*@}
    while read -r word line; do
        [[ ${word,,} != host ]] || for word in $line; do
            [[ $word == *[*?!]* ]] || hosts+=("$word")
        done
    done < <(cat ~/.ssh/config ~/.ssh/config.d/* /etc/ssh/ssh_config 2> /dev/null)
    while read -r word line; do
        # Not what is hashed, revoked or a comment; [host]:port is the host.
        [[ $word != [\|@#]* ]] || continue
        IFS=, read -r -a words <<< "$word"
        for word in "${words[@]}"; do
            word=${word#[}
            hosts+=("${word%]:*}")
        done
    done < <(cat ~/.ssh/known_hosts /etc/ssh/ssh_known_hosts 2> /dev/null)
    # Not by compgen -W, which would run what a name has in $( ).
    mapfile -t COMPREPLY < <(for word in "${hosts[@]}"; do
        [[ $word != "$cur"* ]] || printf '%s\n' "$user$word"
    done | sort -u)
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
  # A single dash may become either's.
  [[ $own == 1 && $PREFIX == - ]] && _describe -o option options
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
