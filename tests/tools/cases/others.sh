# Programs that are more than a pipe around ssh.
# shellcheck shell=bash

# It calls the first ssh in PATH, several times, and has no option for another.
case_ssh_copy_id() {
    need_tool ssh-copy-id
    [ -z "${SSH-}" ] || skip "ssh-copy-id has no option for the ssh to use"
    # It writes below the remote HOME: that must be the lab's.
    [ "$(ssh lab 'echo "$HOME"')" = "$LAB/home" ] || skip "sessions do not have the lab's HOME"
    rm -rf "$LAB/home/.ssh"
    # It has its temporary files there.
    mkdir -p "$HOME/.ssh"
    ssh-keygen -q -t ed25519 -N '' -C copied -f key
    ssh-copy-id -f -i key.pub lab
    cmp key.pub "$LAB/home/.ssh/authorized_keys" && echo "installed"
    # The lab's other key lets it in, so there is nothing to do.
    ssh-copy-id -i key.pub lab
    grep -c . "$LAB/home/.ssh/authorized_keys"
    rm -rf "$LAB/home/.ssh"
}

case_autossh() {
    need_tool autossh
    local port
    port=$(free_port)
    export AUTOSSH_PATH=${SSH:-$(command -v ssh)} AUTOSSH_GATETIME=0
    autossh -M 0 lab 'echo by autossh'
    AUTOSSH_PIDFILE=$PWD/pid autossh -M 0 -f -N -L "127.0.0.1:$port:127.0.0.1:$(lab_port)" lab
    eventually banner "$port" 2> /dev/null
    # It ends its ssh and starts another.
    local first
    first=$(pgrep -P "$(cat pid)")
    kill -USR1 "$(cat pid)"
    eventually test ! -e "/proc/$first"
    eventually banner "$port" 2> /dev/null
    kill "$(cat pid)"
}

case_ansible() {
    need_tool ansible
    export LC_ALL=C.UTF-8
    export ANSIBLE_SSH_EXECUTABLE=${SSH:-ssh} ANSIBLE_NOCOLOR=1 ANSIBLE_DEPRECATION_WARNINGS=0
    export ANSIBLE_PYTHON_INTERPRETER=auto_silent ANSIBLE_LOCAL_TEMP=$PWD/tmp
    # Short: the path of a socket has 108 bytes.
    export ANSIBLE_SSH_CONTROL_PATH_DIR=$LAB/cp
    make_blob
    local pipelining
    for pipelining in False True; do
        export ANSIBLE_PIPELINING=$pipelining
        ansible all -i lab, -m ping
        ansible all -i lab, -m copy -a "src=$PWD/blob dest=$PWD/copied mode=0600" > /dev/null
        same_as_blob copied
        rm copied
        ansible all -i lab, -m shell -a 'echo out; exit 3' || echo "status $?"
        ansible all -i lab, -m raw -a 'echo raw'
        ANSIBLE_SSH_COMMON_ARGS='-J lab' ansible all -i lab, -m ping
        ANSIBLE_SSH_ARGS='-C -o ControlMaster=no' ansible all -i lab, -m ping
        [ -z "${LAB_USER-}" ] || ansible_with_a_password
    done
}

# It gives ssh a terminal of its own as input, and pipes as output.
ansible_with_a_password() {
    need_tool sshpass
    ansible all -i lab, -u "$LAB_USER" -e "ansible_password=$LAB_PASSWORD" -m raw -a 'echo let in' \
        --ssh-common-args '-o PubkeyAuthentication=no'
}

# It starts its server through ssh, and talks to it by itself from then on.
case_mosh() {
    need_tool mosh
    export LC_ALL=C.UTF-8 MOSH_TITLE_NOPREFIX=1
    in_terminal "mosh ${SSH:+--ssh='$SSH'} --no-init lab -- \
        sh -c 'tty | cut -c 1-9 > $PWD/there; echo there'" > screen
    cat there
    grep -ac there screen
    in_terminal "mosh ${SSH:+--ssh='$SSH -J lab'} --experimental-remote-ip=remote lab -- no-such-program" > screen ||
        echo "status $?"
}

case_parallel() {
    need_tool parallel
    mkdir -p "$HOME/.parallel"
    : > "$HOME/.parallel/will-cite"
    PARALLEL_SSH=${SSH:-ssh} parallel -k -S lab,demo-host 'echo {}; exit {}' ::: 0 1 2 || echo "status $?"
    seq 100000 > numbers
    PARALLEL_SSH=${SSH:-ssh} parallel -k -S lab --transferfile {} --return {}.sum --cleanup \
        --wd "$PWD/there" 'wc -l < {} > {}.sum' ::: numbers
    cat numbers.sum
}

# Its module is compiled with the path of ssh, but takes another name, for PATH.
case_pdsh() {
    need_tool pdsh
    mkdir pdsh
    ln -s "${SSH:-$(command -v ssh)}" pdsh/ssh
    PATH=$PWD/pdsh:$PATH pdsh -R ssh -w lab 'echo out; echo err >&2; exit 3' || echo "status $?"
}

case_sshfs() {
    need_tool sshfs
    [ -c /dev/fuse ] || skip "there is no /dev/fuse"
    make_blob
    mkdir remote mounted
    sshfs -o ssh_command="${SSH:-ssh}" "lab:$PWD/remote" mounted || skip "this machine does not let us mount"
    cp blob mounted/blob
    same_as_blob mounted/blob remote/blob
    fusermount -u mounted
}

need_account() {
    [ -n "${LAB_USER-}" ] || skip "there is no throwaway account here (only root can make one)"
}

with_password() {
    ssh_ -o PubkeyAuthentication=no -o NumberOfPasswordPrompts=1 "$@"
}

case_sshpass() {
    need_account
    need_tool sshpass
    local method
    login() {
        sshpass -p "$1" "${SSH:-ssh}" -o PreferredAuthentications="$2" -l "$LAB_USER" lab 'echo let in; exit 3' \
            < /dev/null || echo "status $?"
    }
    for method in password keyboard-interactive; do
        login "$LAB_PASSWORD" $method
    done 2> errors
    # Once only: PAM takes 2 s to say no.
    login wrong password 2>> errors
    sed "s/$LAB_USER/USER/g" errors
}

# sshpass gives ssh a terminal of its own to ask on, while the user's are on the standard streams.
case_sshpass_in_a_terminal() {
    need_account
    need_tool sshpass
    local call="${SSH:-ssh} -o PubkeyAuthentication=no -l $LAB_USER -t lab"
    in_terminal "sshpass -p '$LAB_PASSWORD' $call 'echo let in; tty > /dev/null && exit 3'; echo status \$?"
}

case_askpass() {
    need_account
    # shellcheck disable=SC2016
    printf '#!/bin/sh\necho "asked: $1" >&2\necho "$LAB_PASSWORD"\n' > askpass
    chmod +x askpass
    export SSH_ASKPASS=$PWD/askpass SSH_ASKPASS_REQUIRE=force
    local method
    for method in password keyboard-interactive; do
        with_password -o PreferredAuthentications=$method -l "$LAB_USER" lab 'echo let in' 2> errors
        sed "s/$LAB_USER/USER/g" errors
        in_terminal "${SSH:-ssh} -o PreferredAuthentications=$method -l $LAB_USER -t lab 'echo let in'" |
            sed "s/$LAB_USER/USER/g"
    done
    # Without force: a terminal is asked first, and where there is none, a display decides.
    SSH_ASKPASS_REQUIRE='' DISPLAY=:9 setsid -w "${SSH:-ssh}" -o PubkeyAuthentication=no -l "$LAB_USER" lab \
        'echo let in' < /dev/null 2> errors
    with_password -o BatchMode=yes -l "$LAB_USER" lab true 2>> errors || echo "status $?"
    sed "s/$LAB_USER/USER/g" errors
}
