#compdef aissh
# zsh completion for aissh: its own options here, the rest by the completion for ssh.
# Written by: aissh --completions zsh

_aissh() {
  local own=1 skip='' word i
  local -a options rest
  options=(
    '--ask:Answer once, from what is piped in, and exit; no ssh'
    '--json:With --ask, --check, --show-config and --sessions: print JSON'
    '--allow:With --ask: let a Linus on another machine answer, now and from now on'
    '--session:With --ask: what this live session shows, by its id, alias or user@host; more than once for several'
    '--sessions:List your live sessions'
    '--risk:Judge the commands on standard input, one a line: level, classes and reason of each'
    '--check:Is everything in place: ssh, the configuration, the terminal, Linus; and for a destination, what ssh makes of it'
    '--show-config:Print the settings in force, also for a destination, and where each comes from'
    '--config-schema:Print a JSON Schema of the configuration file, for editors'
    '--sidebar:Open the panel at the start of the session'
    '--plain:No panel: a dialogue in lines on the prefix key, for screen readers and braille'
    '--no-copilot:Only wrap ssh: no panel, no Linus'
    '--record:Record the terminal in this file, which must not exist yet (asciicast v3)'
    '--incident:Print a session'\''s timeline as Markdown, by its id or the beginning of it; `last` is the newest'
    '--policy:What Enter on a card does: suggest puts it on the remote'\''s line, confirm (the default) sends it'
    '--linus-url:Talk to the Linus at this MCP endpoint instead of the built-in one'
    '--config:Read this configuration file instead of the usual one'
    '--login:Sign in to the Linus at this address, in the browser'
    '--logout:Forget the sign-in to the Linus at this address'
    '--linus:Run the built-in Linus as an MCP server of his own, for a team or for any MCP client'
    '--mcp:Give your live sessions to other agents, as an MCP server'
    '--stdio:With --linus and --mcp: on standard input and output'
    '--http:With --linus and --mcp: on HTTP at this address and port, path /mcp'
    '--no-token:With --http on a loopback address: ask for no token'
    '--token:With --linus and --mcp: make a token for a user of its HTTP door, and print it; its digest is kept'
    '--integration:Print what makes a shell mark its prompts and commands, for an rc file'
    '--schema:Print the contract with Linus as JSON Schema, both directions'
    '--completions:Print the completions for a shell'
    '--man:Print the man page'
    '--help:Print this help (ssh'\''s own: -h is no option of ssh)'
    '--version:Print aissh'\''s version (ssh'\''s: -V)'
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
      case $word in --ask|--session|--record|--incident|--policy|--linus-url|--config|--login|--logout|--http|--token|--integration|--completions) skip=own ;; esac
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
        --ask) _message 'question' ;;
        --session) _message 'session' ;;
        --record) _files ;;
        --incident) _message 'id' ;;
        --policy) compadd -- suggest confirm ;;
        --linus-url) _message 'url' ;;
        --config) _files ;;
        --login) _message 'url' ;;
        --logout) _message 'url' ;;
        --http) _message 'addr:port' ;;
        --token) _message 'name' ;;
        --integration) compadd -- bash zsh fish ksh dash ash ;;
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
  # A single dash may become either's.
  [[ $own == 1 && $PREFIX == - ]] && _describe -o option options
  (( $+functions[_ssh] )) || autoload -Uz _ssh
  _ssh
}

_aissh "$@"
