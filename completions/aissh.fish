# fish completion for aissh: its own options here, the rest by the completion for ssh.
# Written by: aissh --completions fish

complete -c aissh --wraps ssh

function __aissh_before_destination
    set -l skip 0
    for word in (commandline -opc)[2..]
        if test $skip = 1
            set skip 0
        else if contains -- $word --ask --session --record --incident --policy --linus-url --config --login --logout --http --token --integration --completions
            set skip 1
        else if string match -qr -- '^-[^BDEFIJLOPQRSWbceilmopw-]*[BDEFIJLOPQRSWbceilmopw]$' $word
            set skip 1
        else if not string match -qr -- '^-' $word; or test $word = --
            return 1
        end
    end
    return 0
end

complete -c aissh -n __aissh_before_destination -l ask -x -d 'Answer once, from what is piped in, and exit; no ssh'
complete -c aissh -n __aissh_before_destination -l json -d 'With --ask, --check, --show-config and --sessions: print JSON'
complete -c aissh -n __aissh_before_destination -l allow -d 'With --ask: let a Linus on another machine answer, now and from now on'
complete -c aissh -n __aissh_before_destination -l session -x -d 'With --ask: what this live session shows, by its id, alias or user@host; more than once for several'
complete -c aissh -n __aissh_before_destination -l sessions -d 'List your live sessions'
complete -c aissh -n __aissh_before_destination -l risk -d 'Judge the commands on standard input, one a line: level, classes and reason of each'
complete -c aissh -n __aissh_before_destination -l check -d 'Is everything in place: ssh, the configuration, the terminal, Linus; and for a destination, what ssh makes of it'
complete -c aissh -n __aissh_before_destination -l show-config -d 'Print the settings in force, also for a destination, and where each comes from'
complete -c aissh -n __aissh_before_destination -l config-schema -d 'Print a JSON Schema of the configuration file, for editors'
complete -c aissh -n __aissh_before_destination -l sidebar -d 'Open the panel at the start of the session'
complete -c aissh -n __aissh_before_destination -l plain -d 'No panel: a dialogue in lines on the prefix key, for screen readers and braille'
complete -c aissh -n __aissh_before_destination -l no-copilot -d 'Only wrap ssh: no panel, no Linus'
complete -c aissh -n __aissh_before_destination -l record -r -F -d 'Record the terminal in this file, which must not exist yet (asciicast v3)'
complete -c aissh -n __aissh_before_destination -l incident -x -d 'Print a session\'s timeline as Markdown, by its id or the beginning of it; `last` is the newest'
complete -c aissh -n __aissh_before_destination -l policy -x -a 'suggest confirm' -d 'What Enter on a card does: suggest puts it on the remote\'s line, confirm (the default) sends it'
complete -c aissh -n __aissh_before_destination -l linus-url -x -d 'Talk to the Linus at this MCP endpoint instead of the built-in one'
complete -c aissh -n __aissh_before_destination -l config -r -F -d 'Read this configuration file instead of the usual one'
complete -c aissh -n __aissh_before_destination -l login -x -d 'Sign in to the Linus at this address, in the browser'
complete -c aissh -n __aissh_before_destination -l logout -x -d 'Forget the sign-in to the Linus at this address'
complete -c aissh -n __aissh_before_destination -l linus -d 'Run the built-in Linus as an MCP server of his own, for a team or for any MCP client'
complete -c aissh -n __aissh_before_destination -l mcp -d 'Give your live sessions to other agents, as an MCP server'
complete -c aissh -n __aissh_before_destination -l stdio -d 'With --linus and --mcp: on standard input and output'
complete -c aissh -n __aissh_before_destination -l http -x -d 'With --linus and --mcp: on HTTP at this address and port, path /mcp'
complete -c aissh -n __aissh_before_destination -l no-token -d 'With --http on a loopback address: ask for no token'
complete -c aissh -n __aissh_before_destination -l token -x -d 'With --linus and --mcp: make a token for a user of its HTTP door, and print it; its digest is kept'
complete -c aissh -n __aissh_before_destination -l integration -x -a 'bash zsh fish ksh dash ash' -d 'Print what makes a shell mark its prompts and commands, for an rc file'
complete -c aissh -n __aissh_before_destination -l schema -d 'Print the contract with Linus as JSON Schema, both directions'
complete -c aissh -n __aissh_before_destination -l completions -x -a 'bash zsh fish' -d 'Print the completions for a shell'
complete -c aissh -n __aissh_before_destination -l man -d 'Print the man page'
complete -c aissh -n __aissh_before_destination -l help -d 'Print this help (ssh\'s own: -h is no option of ssh)'
complete -c aissh -n __aissh_before_destination -l version -d 'Print aissh\'s version (ssh\'s: -V)'
