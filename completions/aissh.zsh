#compdef aissh
# zsh completion for aissh: its own options here, the rest by the completion for ssh.
# Written by: aissh --completions zsh

_aissh() {
  local own=1 skip='' word i
  local -a options rest
  options=(
    '--sidebar:Open the side panel at the start'
    '--no-copilot:Wrap ssh, without the panel and without Linus'
    '--linus-url:The Linus to ask, instead of the built-in one'
    '--config:Read this configuration file'
    '--ask:Answer a question about what is piped in, and exit'
    '--json:With --ask: print the whole reply as JSON'
    '--completions:Print the completion script for a shell'
    '--man:Print the manual page'
    '--help:Print help'
    '--version:Print the version (-V is ssh'\''s)'
  )
  rest=(ssh)
  # What ssh's completion is to see: the line without our own options. A destination ends those.
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    if [[ $skip == own ]]; then
      skip=''; continue
    elif [[ $skip == ssh ]]; then
      skip=''
    elif [[ $own == 1 && $word == --?* ]]; then
      case $word in --linus-url|--config|--ask|--completions) skip=own ;; esac
      continue
    elif [[ $own == 1 && $word =~ '^-[^BDEFIJLOPQRSWbceilmopw-]*[BDEFIJLOPQRSWbceilmopw]$' ]]; then
      skip=ssh
    elif [[ $word != -* || $word == -- ]]; then
      own=0
    fi
    rest+=("$word")
  done
  if [[ $skip == own ]]; then
    case $words[CURRENT-1] in
        --linus-url) _message 'url' ;;
        --config) _files ;;
        --ask) _message 'question' ;;
        --completions) compadd -- bash zsh fish ;;
    esac
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
