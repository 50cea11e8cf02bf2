# What ssh_config says of the session, in the user's file and in the system's.
# shellcheck shell=bash

# config_of LINE…  a configuration in which they come before the lab's, for every host
config_of() {
    printf '%s\n' "$@"
    sed 's/^Host .*/Host */' "$LAB/ssh_config"
}

# as_the_systems FILE  mounts it where ssh finds it without being told, for this case only
as_the_systems() {
    mount --bind "$1" /etc/ssh/ssh_config
}

case_config_request_tty() {
    config_of 'Host no' ' RequestTTY no' 'Host yes' ' requesttty=yes' 'Host force' '"RequestTTY" Force' > config
    each_way 'no yes force auto' "'test -t 0 && echo a terminal; echo end; exit 3'"
}

case_config_remote_command() {
    config_of 'Host plain' ' RemoteCommand tty > /dev/null && echo a terminal; exit 4' \
        'Host terminal' ' RequestTTY yes' ' RemoteCommand tty > /dev/null && echo a terminal; exit 4' > config
    each_way 'plain terminal' ''
    each_way 'plain' 'and another'
}

case_config_stdin_null() {
    config_of 'StdinNull yes' 'Match host force' ' RequestTTY force' > config
    each_way 'auto' "'cat; echo end'"
    each_way 'force' "'tty > /dev/null && echo a terminal'"
}

case_config_session_type() {
    config_of 'Host sub' ' SessionType subsystem' 'Host tunnel' ' SessionType none' ' ForkAfterAuthentication yes' \
        ' ControlMaster yes' " ControlPath $PWD/control" > config
    each_way 'sub' 'no-such-subsystem'
    each_way 'tunnel' '' "${SSH:-ssh} -F none -S control -O check x 2>&1 | sed 's/pid=[0-9]*/pid=N/'
        ${SSH:-ssh} -F none -S control -O exit x; while [ -e control ]; do sleep 0.05; done"
}

case_config_fork() {
    config_of 'Include ~/forks' > config
    printf 'ForkAfterAuthentication=yes\nControlMaster yes\nControlPath %s/control\n' "$PWD" > "$HOME/forks"
    each_way 'any' "\"until [ -e '$PWD/go' ]; do sleep 0.05; done; echo late\"" \
        'echo early; : > go; while [ -e control ]; do sleep 0.05; done; rm go'
    rm "$HOME/forks"
}

# each_way HOSTS ARGUMENTS [AFTER]  for each host: without a terminal and with one, from the user's file and the system's
each_way() {
    local host after=${3-:}
    cp config system
    # There ~ is not allowed.
    sed -i "s,~/,$HOME/," system
    for host in $1; do
        echo "- $host"
        bash -c "${SSH:-ssh} -F config $host $2; echo status \$?; $after" < /dev/null
        in_terminal "${SSH:-ssh} -F config $host $2; echo status \$?; $after"
        (
            as_the_systems system
            in_terminal "${SSH:-ssh} $host $2; echo status \$?; $after"
            umount /etc/ssh/ssh_config
        )
    done
}
