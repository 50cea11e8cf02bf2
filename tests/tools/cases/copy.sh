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

# scp and sftp have the path of ssh compiled in: a link in PATH changes nothing for them.
need_option() {
    [ -n "${SSH-}" ] || skip "it does not look for ssh in PATH"
}

case_scp() {
    need_option
    make_blob
    mkdir remote
    scp -q ${SSH:+-S "$SSH"} blob "lab:$PWD/remote/blob"
    scp -q ${SSH:+-S "$SSH"} "lab:$PWD/remote/blob" back
    same_as_blob remote/blob back
    scp -q ${SSH:+-S "$SSH"} "lab:$PWD/absent" . || echo "status $?"
}

case_scp_old_protocol() {
    need_option
    make_blob
    mkdir remote
    scp -O -q ${SSH:+-S "$SSH"} blob "lab:$PWD/remote/blob"
    scp -O -q ${SSH:+-S "$SSH"} "lab:$PWD/remote/blob" back
    same_as_blob remote/blob back
    scp -O -q ${SSH:+-S "$SSH"} "lab:$PWD/absent" . || echo "status $?"
}

case_scp_between_hosts() {
    need_option
    make_blob
    scp -3 -q ${SSH:+-S "$SSH"} "lab:$PWD/blob" "demo-host:$PWD/other"
    same_as_blob other
}

# scp knows -J itself, and gives it to ssh as an option.
case_scp_jump() {
    need_option
    make_blob
    scp -q -J lab ${SSH:+-S "$SSH"} blob "lab:$PWD/back"
    same_as_blob back
}

case_sftp() {
    need_option
    make_blob
    sftp -q ${SSH:+-S "$SSH"} -b - lab << END
cd $PWD
mkdir remote
put blob remote/blob
get remote/blob back
ls -1 remote
END
    same_as_blob remote/blob back
    echo "get $PWD/absent" | sftp -q ${SSH:+-S "$SSH"} -b - lab || echo "status $?"
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
