# bash completion for aissh: its own options here, the rest by the completion for ssh.
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
            case $word in --ask|--session|--record|--incident|--policy|--linus-url|--config|--login|--logout|--http|--token|--integration|--completions) skip=own ;; esac
            continue
        elif [[ $own == 1 && $word =~ ^-[^BDEFIJLOPQRSWbceilmopw-]*[BDEFIJLOPQRSWbceilmopw]$ ]]; then
            skip=ssh
        elif [[ $word != -* || $word == -- ]]; then
            own=0
        fi
        words+=("$word") line+=$gap$word
    done
    if [[ $skip == own ]]; then
        case $prev in
        --ask) : ;;
        --session) : ;;
        --record) mapfile -t COMPREPLY < <(compgen -f -- "$cur") && compopt -o filenames ;;
        --incident) : ;;
        --policy) mapfile -t COMPREPLY < <(compgen -W 'suggest confirm' -- "$cur") ;;
        --linus-url) : ;;
        --config) mapfile -t COMPREPLY < <(compgen -f -- "$cur") && compopt -o filenames ;;
        --login) : ;;
        --logout) : ;;
        --http) : ;;
        --token) : ;;
        --integration) mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish ksh dash ash' -- "$cur") ;;
        --completions) mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- "$cur") ;;
        esac
        return
    fi
    if [[ $own == 1 && $cur == --* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--ask --json --allow --session --sessions --risk --check --show-config --config-schema --sidebar --plain --no-copilot --record --incident --policy --linus-url --config --login --logout --linus --mcp --stdio --http --no-token --token --integration --schema --completions --man --help --version' -- "$cur")
        return
    fi
    gap=${rest%%[![:blank:]]*}
    _aissh_as_ssh "${2-$cur}" "$line$gap$cur" "${words[@]}" "$cur"
    # A single dash may become either's.
    if [[ $own == 1 && $cur == - ]]; then
        COMPREPLY+=(--ask --json --allow --session --sessions --risk --check --show-config --config-schema --sidebar --plain --no-copilot --record --incident --policy --linus-url --config --login --logout --linus --mcp --stdio --http --no-token --token --integration --schema --completions --man --help --version)
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
