# git over ssh: the three ways to tell it which ssh, and none.
# shellcheck shell=bash disable=SC2154

case_git_clone() { with_each_git_option git_clone; }
case_git_push() { with_each_git_option git_push; }
case_git_ls_remote() { with_each_git_option git_ls_remote; }

# Over a jump host and with a port in the URL, git gives ssh options of its own.
case_git_jump() {
    git_remote
    git -c core.sshCommand="${SSH:-ssh} -J lab" ls-remote "ssh://lab:$(lab_port)$PWD/remote.git" main
}

with_each_git_option() {
    need_tool git
    git_remote
    if [ -z "${SSH-}" ]; then
        "$1" git
        return
    fi
    # A program of another name than ssh is asked with -G what it is, before it gets any option.
    GIT_SSH=$SSH "$1" git
    GIT_SSH_COMMAND="'$SSH' -o ServerAliveInterval=30" "$1" git
    "$1" git -c core.sshCommand="'$SSH' -4"
}

git_remote() {
    export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
    export GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'
    git init -q --bare -b main remote.git
    git init -q -b main first
    seq 200000 > first/numbers
    git -C first add numbers
    git -C first commit -q -m first
    git -C first push -q "$PWD/remote.git" main
}

git_clone() {
    "$@" clone "lab:$PWD/remote.git" clone
    git -C clone rev-parse HEAD
    cmp first/numbers clone/numbers
    rm -rf clone
}

git_push() {
    echo "$#" >> first/numbers
    git -C first commit -q -a -m "another"
    "$@" -C first push "lab:$PWD/remote.git" main
    "$@" -C first push "lab:$PWD/remote.git" main
    # Refused by the other end: its words and git's status come through.
    git -C first commit -q --amend -m "rewritten"
    "$@" -C first push "lab:$PWD/remote.git" main || echo "status $?"
    git -C first reset -q --hard HEAD~1
    git -C first pull -q "$PWD/remote.git" main
}

git_ls_remote() {
    "$@" ls-remote "lab:$PWD/remote.git"
    "$@" ls-remote "ssh://lab:$(lab_port)$PWD/remote.git" main
    "$@" ls-remote "lab:$PWD/absent.git" || echo "status $?"
}
