# fish completion for aissh: its own options here, the rest by the completion for ssh.
# Written by: aissh --completions fish

complete -c aissh --wraps ssh

function __aissh_before_destination
    set -l skip 0
    for word in (commandline -opc)[2..]
        if test $skip = 1
            set skip 0
        else if contains -- $word --linus-url --config --ask --completions
            set skip 1
        else if string match -qr -- '^-[^BDEFIJLOPQRSWbceilmopw-]*[BDEFIJLOPQRSWbceilmopw]$' $word
            set skip 1
        else if not string match -qr -- '^-' $word; or test $word = --
            return 1
        end
    end
    return 0
end

complete -c aissh -n __aissh_before_destination -l sidebar -d 'Open the side panel at the start'
complete -c aissh -n __aissh_before_destination -l no-copilot -d 'Wrap ssh, without the panel and without Linus'
complete -c aissh -n __aissh_before_destination -l linus-url -x -d 'The Linus to ask, instead of the built-in one'
complete -c aissh -n __aissh_before_destination -l config -r -F -d 'Read this configuration file'
complete -c aissh -n __aissh_before_destination -l ask -x -d 'Answer a question about what is piped in, and exit'
complete -c aissh -n __aissh_before_destination -l json -d 'With --ask: print the whole reply as JSON'
complete -c aissh -n __aissh_before_destination -l completions -x -a 'bash zsh fish' -d 'Print the completion script for a shell'
complete -c aissh -n __aissh_before_destination -l man -d 'Print the manual page'
complete -c aissh -n __aissh_before_destination -l help -d 'Print help'
complete -c aissh -n __aissh_before_destination -l version -d 'Print the version (-V is ssh\'s)'
