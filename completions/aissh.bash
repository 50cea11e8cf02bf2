# bash completion for aissh: its own options here, the rest by the completion for ssh.
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
            case $word in --ask|--record|--incident|--policy|--linus-url|--config|--login|--logout|--integration|--completions) skip=own ;; esac
            continue
        elif [[ $own == 1 && $word =~ ^-[^BDEFIJLOPQRSWbceilmopw-]*[BDEFIJLOPQRSWbceilmopw]$ ]]; then
            skip=ssh
        elif [[ $word != -* || $word == -- ]]; then
            own=0
        fi
        words+=("$word")
    done
    if [[ $skip == own ]]; then
        case $prev in
        --ask) : ;;
        --record) mapfile -t COMPREPLY < <(compgen -f -- "$cur") && compopt -o filenames ;;
        --incident) : ;;
        --policy) mapfile -t COMPREPLY < <(compgen -W 'suggest confirm' -- "$cur") ;;
        --linus-url) : ;;
        --config) mapfile -t COMPREPLY < <(compgen -f -- "$cur") && compopt -o filenames ;;
        --login) : ;;
        --logout) : ;;
        --integration) mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish ksh dash ash' -- "$cur") ;;
        --completions) mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- "$cur") ;;
        esac
        return
    fi
    if [[ $own == 1 && $cur == --* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--ask --json --allow --risk --check --show-config --config-schema --sidebar --no-copilot --record --incident --policy --linus-url --config --login --logout --integration --schema --completions --man --help --version' -- "$cur")
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
