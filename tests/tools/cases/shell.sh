# What shells do with standard streams, process groups and sessions around ssh.
# shellcheck shell=bash

case_here_document() {
    ssh_ lab bash -s one 'two\ words' << 'END' || echo "status $?"
printf '<%s>' "$@"; echo
read -r line
this line is read by the script
echo "$line" >&2
exit 5
END
}

case_process_substitution() {
    paste <(ssh_ lab 'seq 3') <(ssh_ lab 'seq 4 6')
    ssh_ lab 'seq 3' > >(tr 1-3 a-c > letters)
    eventually grep -qs c letters
    cat letters
}

case_command_substitution() {
    local x
    x=$(ssh_ lab 'echo out; echo err >&2; exit 9') || echo "status $?"
    echo "[$x]"
    x=$(ssh_ -tt lab 'echo out; tty > /dev/null && echo terminal' < /dev/null 2> /dev/null)
    printf '[%q]\n' "$x"
}

case_fifo() {
    mkfifo fifo
    ssh_ lab 'cat; echo end' < fifo > out &
    exec 3> fifo
    echo one >&3
    eventually grep -qs one out
    echo two >&3
    exec 3>&-
    wait $!
    echo "status $?"
    cat out
}

case_closed_streams() {
    ssh_ lab 'echo out; echo err >&2' >&- || echo "status $?"
    ssh_ lab 'cat; echo out; echo err >&2' <&- || echo "status $?"
    ssh_ lab 'echo out; echo err >&2' 2>&- || echo "status $?"
    ssh_ lab 'echo out' <&- >&- 2>&- || echo "status $?"
    in_terminal "${SSH:-ssh} -t lab 'echo out' >&-; echo status \$?; ${SSH:-ssh} -t lab 'echo out' <&-; echo status \$?"
}

case_reader_that_leaves() {
    ssh_ lab 'seq 1000000' | head -n 2
    echo "${PIPESTATUS[*]}"
}

case_redirected_stderr_in_a_terminal() {
    in_terminal "${SSH:-ssh} -t lab 'echo out' 2> trace; ${SSH:-ssh} -tv lab 'echo out' 2> verbose | cat" | tr -d '\r'
    cat trace
    grep -c debug1 verbose > /dev/null && echo "the trace is in its file"
}

# VS Code and others: no terminal, a script as input to the login shell.
case_piped_script() {
    printf 'echo "$0"; pwd\nif [ -t 0 ]; then echo terminal; fi\nexit 6\n' | ssh_ -T lab bash || echo "status $?"
    printf 'echo in the login shell\nexit 6\n' | ssh_ -T -D "$(free_port)" -o ConnectTimeout=15 lab || echo "status $?"
    in_terminal "printf 'echo from a pipe\nexit 6\n' | ${SSH:-ssh} -T lab; echo status \$?"
}

case_statuses() {
    local command
    for command in true false 'exit 77' 'exit 255' 'kill -TERM $$' 'exec no-such-program' ''; do
        ssh_ lab "$command" < /dev/null || echo "[$command] status $?"
    done
    ssh_ -o NoSuchOption=yes lab true || echo "status $?"
    ssh_ -p 1 lab true || echo "status $?"
    ssh_ -Z 2> /dev/null || echo "status $?"
    ssh_ || echo "status $?"
    ssh_ -V
    ssh_ -Q key | head -n 1
}

# No terminal, no session of anybody's, hardly an environment.
case_cron() {
    cat > job << END
#!/bin/sh
${SSH:-ssh} lab 'echo from cron; tty; cat' && ${SSH:-ssh} lab 'exit 8'
END
    chmod +x job
    setsid -w env -i PATH="$PATH" HOME="$HOME" ./job < /dev/null || echo "status $?"
    setsid -w env -i PATH="$PATH" ./job < /dev/null > log 2>&1 || echo "status $?"
    cat log
}

case_nohup() {
    nohup "${SSH:-ssh}" lab 'echo quiet' < /dev/null
    in_terminal "nohup ${SSH:-ssh} lab 'echo hung up on'; echo status \$?"
    cat nohup.out
    in_terminal "nohup ${SSH:-ssh} -tt lab 'echo hung up on' < /dev/tty > out 2>&1; echo status \$?"
    cat out
}

# Ignored signals and the mask are for the children of ssh as well: LocalCommand shows them.
case_signals() {
    local look='grep -E "^Sig(Blk|Ign)" /proc/self/status'
    ssh_ -o PermitLocalCommand=yes -o LocalCommand="$look" lab true
    (trap '' HUP QUIT USR1 && ssh_ -o PermitLocalCommand=yes -o LocalCommand="$look" lab true)
    need_tool python3
    python3 - "${SSH:-ssh}" -o PermitLocalCommand=yes -o LocalCommand="$look" lab true << 'END'
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2, signal.SIGTERM})
os.execvp(sys.argv[1], sys.argv[1:])
END
}

# The environment, to the byte and in its order, as ssh's children see it.
case_environment() {
    ssh_ -o PermitLocalCommand=yes -o LocalCommand='tr "\\0" "\\n" < /proc/$PPID/environ' lab true |
        grep -v -e '^_=' -e '^PATH=' -e '^SSH='
}

# In a pipeline and in the background of a script: no job control, so no stops.
case_background() {
    ssh_ lab 'echo one' < /dev/null > one &
    ssh_ lab 'echo two' < /dev/null > two &
    wait
    cat one two
    in_terminal "${SSH:-ssh} -n lab 'echo three' & wait; echo status \$?"
    in_terminal "(${SSH:-ssh} lab 'echo four' < /dev/null; :) | cat"
}

# With job control: what touches the terminal from the background is stopped, what does not is not.
case_job_control() {
    cat > watched << 'END'
set -m
# What bash says of jobs comes when it comes.
exec 3>&2 2> /dev/null
# watch WHAT COMMAND…  starts it in the background and says what becomes of it
watch() {
    local what=$1 job stat
    shift
    "$@" 2>&3 3>&- &
    job=$!
    while read -r stat < /proc/$job/stat; do
        case ${stat##*) } in T*) echo "$what: stopped"; kill -KILL $job; return ;; Z*) break ;; esac
        sleep 0.05
    done
    wait $job
    echo "$what: status $?"
}
watch "-n" $SSH -n lab 'exit 3'
watch "a command" $SSH lab 'sleep 1; exit 3'
watch "a terminal" $SSH -t lab 'sleep 1; exit 3'
watch "from a file" $SSH lab 'cat' < /dev/null
watch "no terminal" $SSH -T lab 'sleep 1; exit 3'
END
    in_terminal "SSH=${SSH:-ssh} bash watched"
}

# As people have it in their .bashrc.
case_alias() {
    [ -n "${SSH-}" ] || skip "an alias is not found in PATH"
    echo "alias ssh='$SSH'" > rc
    cat > lines << 'END'
ssh lab 'echo a command; exit 3'; echo "status $?"
echo through a pipe | ssh lab cat | tr a-z A-Z
x=$(ssh lab 'echo substituted'); echo "[$x]"
ssh -t lab 'tty | cut -c 1-9'; echo "status $?"
ssh lab 'sort -n' <<< "$(seq 3 -1 1)"
ssh -f lab true; echo "status $?"
for i in 1 2; do ssh -n lab "echo in a loop $i"; done
END
    bash --noprofile --rcfile rc -ic "$(cat lines)" < /dev/null 2> /dev/null
    in_terminal "bash --noprofile --rcfile rc -ic '$(sed "s/'/'\\\\''/g" lines)'"
}

case_pipes() {
    make_blob
    # shellcheck disable=SC2002
    cat blob | ssh_ lab cat > back
    ssh_ lab "cat > '$PWD/remote'" < blob
    ssh_ -C lab "cat '$PWD/blob'" | cat > compressed
    same_as_blob back remote compressed
    tar -cf - blob | ssh_ lab "mkdir '$PWD/tar' && tar -C '$PWD/tar' -xf -"
    same_as_blob tar/blob
}
