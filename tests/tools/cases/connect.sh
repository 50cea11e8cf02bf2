# Connections through, beside and under others: jumps, forwardings, shared connections.
# shellcheck shell=bash

case_proxy_jump() {
    make_blob
    ssh_ -J lab lab 'echo "by a jump"; cat >&2; exit 3' < /dev/null || echo "status $?"
    ssh_ -J lab,demo-host lab cat < blob > back
    same_as_blob back
    ssh_ -J lab -p 1 lab true 2> error || echo "status $?"
    grep -c . error
}

case_proxy_command() {
    make_blob
    ssh_ -o ProxyCommand="${SSH:-ssh} -W %h:%p lab" lab cat < blob > back
    ssh_ -o ProxyCommand="${SSH:-ssh} -o ProxyCommand='${SSH:-ssh} -W %%h:%%p lab' -W %h:%p lab" lab cat < blob > twice
    same_as_blob back twice
}

# Each run of the command is a line in a file.
case_match_exec() {
    count() {
        echo "$1: $(wc -l < ran)"
        : > ran
    }
    : > ran
    printf 'Match exec "echo x >> %s/ran"\n  ServerAliveInterval 30\nMatch all\n' "$PWD" > config
    cat config "$LAB/ssh_config" > plain
    (cat config && echo 'RequestTTY auto' && cat "$LAB/ssh_config") > words
    for config in plain words; do
        ssh_ -F $config lab true
        count "a command"
        ssh_ -F $config -G lab | grep -c '^user '
        count "-G"
        ssh_ -F $config -J lab lab true
        count "a jump"
        ssh_ -F $config -N -o ConnectTimeout=1 -p 1 lab 2> /dev/null || echo "status $?"
        count "-N"
        in_terminal "${SSH:-ssh} -F $config -t lab 'echo a terminal'" > out
        grep -c 'a terminal' out
        count "a terminal"
    done
}

# The parent ends, the tunnel works, and it ends when it is told to.
case_background_forward() {
    local port forward
    port=$(free_port)
    forward="127.0.0.1:$port:127.0.0.1:$(lab_port)"
    ssh_ -f -N -M -S control -o ExitOnForwardFailure=yes -L "$forward" lab
    echo "in the background, status $?"
    banner "$port"
    ssh_ -S control -O check lab 2>&1 | sed 's/pid=[0-9]*/pid=N/'
    ssh_ -S control -O exit lab
    eventually test ! -e control
    ! banner "$port" 2> /dev/null
    # Again with the same port taken.
    ssh_ -f -N -M -S control -L "$forward" lab
    ssh_ -f -N -o ExitOnForwardFailure=yes -L "$forward" lab 2> error || echo "status $?"
    sed "s/$port/PORT/g" error
    ssh_ -S control -O exit lab
}

case_background_forward_in_a_terminal() {
    local port
    port=$(free_port)
    # The parent ends before the child has a session of its own: ssh's, too, would die with a terminal that goes then.
    # So somebody goes through the tunnel first.
    in_terminal "${SSH:-ssh} -f -N -L 127.0.0.1:$port:127.0.0.1:$(lab_port) lab; echo status \$?
        bash -c '(exec 3<> /dev/tcp/127.0.0.1/$port && head -n 1 <&3)'"
    # The terminal is gone, the tunnel is not.
    banner "$port"
    # What it says later comes late.
    local wait="until [ -e '$PWD/go' ]; do sleep 0.05; done"
    in_terminal "${SSH:-ssh} -f -M -S control lab \"$wait; echo late\"
        echo early; : > go; while [ -e control ]; do sleep 0.05; done"
}

case_remote_forward() {
    ssh_ -f -N -M -S control -o ExitOnForwardFailure=yes -R "$PWD/socket:127.0.0.1:$(lab_port)" lab
    test -S socket && echo "a socket on the other side"
    ssh_ -S control -O exit lab
}

case_stdio_forward() {
    ssh_ -W "127.0.0.1:$(lab_port)" lab < /dev/null | head -n 1
    ssh_ -W 127.0.0.1:1 lab < /dev/null || echo "status $?"
}

case_dynamic_forward() {
    local port target
    port=$(free_port)
    target=$(lab_port)
    ssh_ -f -N -M -S control -o ExitOnForwardFailure=yes -D "127.0.0.1:$port" lab
    # SOCKS 5 (RFC 1928): no authentication; connect to an IPv4 address; then the connection itself.
    exec 3<> "/dev/tcp/127.0.0.1/$port"
    printf '\5\1\0' >&3
    head -c 2 <&3 | od -An -tx1
    # shellcheck disable=SC2059
    printf "\\5\\1\\0\\1\\x7f\\0\\0\\1\\x$(printf %02x $((target / 256)))\\x$(printf %02x $((target % 256)))" >&3
    head -c 10 <&3 | od -An -tx1
    head -n 1 <&3
    exec 3>&-
    ssh_ -S control -O exit lab
}

# The first session must not wait for the master that it leaves behind.
case_control_persist() {
    persist
}

# With -v the master keeps standard error, and whoever reads that to its end waits; ssh itself does not.
case_control_persist_verbose() {
    persist -v
}

persist() {
    ssh_ "$@" -o ControlMaster=auto -S control -o ControlPersist=600 lab 'echo first; exit 4' 2> error ||
        echo "status $?"
    [ $# -gt 0 ] || cat error
    # Which it did not wait for.
    test -S control && echo "a master"
    ssh_ -S control lab 'echo second >&2; cat' <<< "through the master"
    ssh_ -S control -O exit lab
    eventually test ! -e control
}

# script(1) waits for whoever has its terminal open, so everything happens inside; that the master outlives the
# terminal is tested in tests/tools/terminal.rs.
case_control_persist_in_a_terminal() {
    cat > session << 'END'
$SSH $VERBOSE -t -o ControlMaster=auto -S control -o ControlPersist=600 lab 'echo first; exit 4' 2> trace
echo "status $?"
[ -S control ] && echo "no waiting for the master"
$SSH $VERBOSE -t -S control lab 'echo second; tty | cut -c 1-9; exit 5'
echo "status $?"
$SSH -S control -O exit lab
END
    look() {
        # Whether the terminal is still raw when the master's client writes is a race within ssh.
        in_terminal "SSH=${SSH:-ssh} VERBOSE=$1 bash session" | tr -d '\r' |
            grep -a -e ^first -e ^second -e ^status -e ^no -e ^Shared -e ^Exit
    }
    look ''
    look -v
    sed -i 's/ 2> trace//' session
    look ''
    look -v
}

# What mosh runs to start its server, without mosh: a terminal that has no input.
case_mosh_like() {
    ssh_ -n -tt -S none -o ProxyCommand="${SSH:-ssh} -W %h:%p lab" lab -- 'echo "MOSH CONNECT 60001 key"; stty size'
    in_terminal "${SSH:-ssh} -n -tt -S none lab -- 'echo MOSH CONNECT 60001 key'"
}

# banner PORT  the first line of whoever listens there
banner() {
    (exec 3<> "/dev/tcp/127.0.0.1/$1" && head -n 1 <&3)
}
