#!/usr/bin/env bash
# A throwaway sshd on loopback: the one recipe of the tests (tests/support/lab.rs) and of scripts/demo.
#
#   lab.sh write DIR PORT   puts into DIR everything that sshd and ssh need: keys, both configurations, a home
#   lab.sh serve DIR        runs that sshd until stdin ends, then ends it and every session on it
#
# LAB_PROMPT   the remote prompt, as bash's PS1 (default: user@host:\w\$ )
# LAB_MARKS=1  the remote prompt also sends OSC 133 and OSC 7 marks
# LAB_USER     (serve) an account that is made for this sshd and removed with it; it is let in by LAB_PASSWORD,
#              which is taken as a password and by keyboard-interactive (PAM)
# LAB_GROUPS   (serve) more groups of that account, as `sudo`
# LAB_VAR      (serve) a script that mounts and fills a /var that only this sshd's sessions see
#
# No file of the system is changed; the only thing left outside DIR is the empty /run/sshd that sshd insists on.
set -eu
export PATH="$PATH:/usr/sbin:/sbin"

write() {
    local dir=$1 port=$2
    mkdir -p "$dir/home" "$dir/client"
    id -un > "$dir/user"
    [ -f "$dir/host_key" ] || ssh-keygen -q -t ed25519 -N '' -C lab -f "$dir/host_key"
    [ -f "$dir/user_key" ] || ssh-keygen -q -t ed25519 -N '' -C lab -f "$dir/user_key"
    cp "$dir/user_key.pub" "$dir/authorized_keys"
    # An alias instead of [127.0.0.1]:PORT, so that the file does not depend on the port.
    echo "lab $(cut -d' ' -f1,2 "$dir/host_key.pub")" > "$dir/known_hosts"
    sshd_config "$dir" "$port" > "$dir/sshd_config"
    ssh_config "$dir" "$port" > "$dir/ssh_config"
    bash_profile > "$dir/home/.bash_profile"
    login_script > "$dir/login"
    chmod 755 "$dir/login"
}

sshd_config() {
    local dir=$1 port=$2
    cat <<END
Port $port
ListenAddress 127.0.0.1
PidFile none
HostKey $dir/host_key
AuthorizedKeysFile $dir/authorized_keys
StrictModes no
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
PrintMotd no
PrintLastLog no
UseDNS no
LogLevel VERBOSE
MaxStartups 100:30:200
MaxSessions 50
Subsystem sftp internal-sftp
SetEnv HOME=$dir/home
END
    # The user running this may have any login shell; the sessions have bash.
    case $(login_shell) in
    */bash) ;;
    *) echo "ForceCommand $dir/login" ;;
    esac
}

login_shell() {
    local entry
    entry=$(getent passwd "$(id -un)" 2>/dev/null) || entry=${SHELL:-/bin/sh}
    echo "${entry##*:}"
}

ssh_config() {
    local dir=$1 port=$2
    cat <<END
Host lab demo-host
  HostName 127.0.0.1
  Port $port
  User $(id -un)
  HostKeyAlias lab
  UserKnownHostsFile $dir/known_hosts
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
  IdentityFile $dir/user_key
  IdentitiesOnly yes
  IdentityAgent none
END
}

# What /etc/profile has set before (Debian's does set a prompt) is put back to one plain, known state.
bash_profile() {
    printf "cd\nunset PROMPT_COMMAND PS0\nPS1='%s'\nPS2='> '\n" "${LAB_PROMPT:-user@host:\\w\\\$ }"
    [ "${LAB_MARKS:-0}" = 1 ] || return 0
    # D is sent only after a command has run: PS0 is expanded then, and the subscript's assignment is its trace.
    cat <<'END'
lab_marks() {
    local status=$?
    [ -z "$lab_ran" ] || printf '\e]133;D;%s\a' "$status"
    lab_ran=
    printf '\e]7;file://host%s\a' "$PWD"
    return "$status"
}
PROMPT_COMMAND=lab_marks
PS1='\[\e]133;A\a\]'$PS1'\[\e]133;B\a\]'
PS0='\e]133;C\a${lab_none[lab_ran=1]}'
END
}

login_script() {
    cat <<'END'
#!/usr/bin/env bash
cd "$HOME" || exit
case ${SSH_ORIGINAL_COMMAND-} in
'') exec bash --login ;;
internal-sftp) exec /usr/lib/openssh/sftp-server ;;
*) exec bash -c "$SSH_ORIGINAL_COMMAND" ;;
esac
END
}

serve() {
    local dir=$1 pam=no options=()
    # Only root's sshd can hand a pty to a session: it has to chown the device.
    [ "$(id -u)" = 0 ] || exec sudo -n LAB_VAR="${LAB_VAR-}" LAB_IN_NAMESPACE="${LAB_IN_NAMESPACE-}" \
        LAB_USER="${LAB_USER-}" LAB_PASSWORD="${LAB_PASSWORD-}" LAB_GROUPS="${LAB_GROUPS-}" "$BASH" "$0" serve "$dir"
    if [ -n "${LAB_VAR-}" ] && [ -z "${LAB_IN_NAMESPACE-}" ]; then
        # In a mount namespace of its own, so that the mount is seen by the sessions only and ends with them.
        LAB_IN_NAMESPACE=1 exec unshare --mount --propagation private "$BASH" "$0" serve "$dir"
    fi
    [ -z "${LAB_VAR-}" ] || "$LAB_VAR" mount
    mkdir -p /run/sshd
    chmod 755 /run/sshd
    # Without PAM sshd refuses an account whose password is locked with "!", as on most cloud images.
    case $(getent shadow "$(cat "$dir/user")" | cut -d: -f2) in '!'*) pam=yes ;; esac
    if [ -n "${LAB_USER-}" ]; then
        trap remove_account EXIT
        make_account "$dir"
        pam=yes
        options=(-o PasswordAuthentication=yes -o KbdInteractiveAuthentication=yes)
    fi
    # By absolute path, as sshd runs itself again for each connection.
    "$(command -v sshd)" -D -e -o UsePAM=$pam "${options[@]}" -f "$dir/sshd_config" < /dev/null > /dev/null &
    listener=$!
    # From here on sshd alone holds the log open: its end is sshd's end.
    exec 2> /dev/null
    trap 'end_tree "$listener"; remove_account' EXIT
    trap 'exit 1' INT TERM HUP
    # Stdin ends when whoever started this is done, or was killed.
    cat > /dev/null
}

make_account() {
    while_locked useradd --no-create-home --home-dir "$1/home" --shell /bin/bash \
        ${LAB_GROUPS:+--groups "$LAB_GROUPS"} "$LAB_USER" || exit 1
    echo "$LAB_USER:$LAB_PASSWORD" | chpasswd
    # It has to get into its home, and into nothing else there.
    chmod 711 "$1"
}

remove_account() {
    [ -n "${LAB_USER-}" ] || return 0
    # By force: its last process may not be gone yet. It also fails when it has done its work (no mail spool).
    while_locked eval 'userdel -f "$LAB_USER" > /dev/null 2>&1 || ! getent passwd "$LAB_USER" > /dev/null' || true
}

# while_locked COMMAND…  again as long as it fails: others may have /etc/passwd locked
while_locked() {
    local try
    for try in {1..100}; do
        ! "$@" || return 0
        sleep 0.2
    done
    return 1
}

# Each session is in a process group of its own, so the tree is found by parents.
end_tree() {
    local pids
    kill -STOP "$1" || true
    pids="$1 $(descendants "$1")"
    # TERM for sshd (it then closes its utmp entry), HUP for the shells, which ignore TERM.
    # shellcheck disable=SC2086
    kill -TERM $pids || true
    # shellcheck disable=SC2086
    kill -HUP $pids || true
    kill -CONT "$1" || true
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        # shellcheck disable=SC2086
        kill -0 $pids || return 0
        sleep 0.05
    done
    # shellcheck disable=SC2086
    kill -KILL $pids || true
}

descendants() {
    local stat line parent child
    for stat in /proc/[0-9]*/stat; do
        read -r line < "$stat" || continue
        # pid (comm) state ppid …; comm may hold anything, also ") ".
        read -r _ parent _ <<< "${line##*) }"
        [ "$parent" = "$1" ] || continue
        child=${line%% *}
        echo "$child"
        descendants "$child"
    done
}

command=${1:-}
case $command in
write | serve) shift && "$command" "$@" ;;
*) echo "usage: lab.sh write DIR PORT | serve DIR" >&2 && exit 64 ;;
esac
