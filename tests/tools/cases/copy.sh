# rsync, scp and sftp: 3 MB there and back.
# shellcheck shell=bash

case_rsync() {
    need_tool rsync
    make_blob
    mkdir remote
    rsync -a ${SSH:+-e "$SSH"} blob "lab:$PWD/remote/"
    rsync -ai ${SSH:+-e "$SSH -4"} "lab:$PWD/remote/blob" back | cut -c 1-2
    same_as_blob remote/blob back
    # A change in the middle is found by checksums that go both ways.
    printf x | dd of=back bs=1 seek=1500000 conv=notrunc status=none
    RSYNC_RSH=${SSH:-ssh} rsync -a -I --no-whole-file "lab:$PWD/remote/blob" back
    same_as_blob back
    rsync ${SSH:+-e "$SSH"} "lab:$PWD/absent" . || echo "status $?"
}

# scp and sftp have the path of ssh compiled in, but look for a bare name in PATH.
case_scp() {
    make_blob
    mkdir remote
    scp -q -S "${SSH:-ssh}" blob "lab:$PWD/remote/blob"
    scp -q -S "${SSH:-ssh}" "lab:$PWD/remote/blob" back
    same_as_blob remote/blob back
    scp -q -S "${SSH:-ssh}" "lab:$PWD/absent" . || echo "status $?"
}

case_scp_old_protocol() {
    make_blob
    mkdir remote
    scp -O -q -S "${SSH:-ssh}" blob "lab:$PWD/remote/blob"
    scp -O -q -S "${SSH:-ssh}" "lab:$PWD/remote/blob" back
    same_as_blob remote/blob back
    scp -O -q -S "${SSH:-ssh}" "lab:$PWD/absent" . || echo "status $?"
}

case_scp_between_hosts() {
    make_blob
    scp -3 -q -S "${SSH:-ssh}" "lab:$PWD/blob" "demo-host:$PWD/other"
    same_as_blob other
}

# scp knows -J itself, and gives it to ssh as an option.
case_scp_jump() {
    make_blob
    scp -q -J lab -S "${SSH:-ssh}" blob "lab:$PWD/back"
    same_as_blob back
}

case_sftp() {
    make_blob
    sftp -q -S "${SSH:-ssh}" -b - lab << END
cd $PWD
mkdir remote
put blob remote/blob
get remote/blob back
ls -1 remote
END
    same_as_blob remote/blob back
    echo "get $PWD/absent" | sftp -q -S "${SSH:-ssh}" -b - lab || echo "status $?"
}

# With a terminal around it the tools' errors go there, and ssh could ask on it.
case_tools_in_a_terminal() {
    need_tool git
    need_tool rsync
    make_blob
    git_remote
    in_terminal "${SSH:+GIT_SSH_COMMAND='$SSH'} git clone -q lab:$PWD/remote.git clone; echo status \$?
        rsync ${SSH:+-e '$SSH'} blob lab:$PWD/by-rsync; echo status \$?
        scp -q -S '${SSH:-ssh}' blob lab:$PWD/by-scp; echo status \$?
        echo 'put blob $PWD/by-sftp' | sftp -q -S '${SSH:-ssh}' -b - lab; echo status \$?
        scp -q -S '${SSH:-ssh}' lab:$PWD/absent .; echo status \$?"
    cmp first/numbers clone/numbers
    same_as_blob by-rsync by-scp by-sftp
}
