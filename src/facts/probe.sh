# What aissh asks a host for. Sent to a sh over ssh's pipes, never typed. It reads and changes nothing: no file is
# written, nothing is started that stays. The functions come once; after that each probe is one more line:
#   probe BOUNDARY summary|processes pause|go </dev/null
# The boundary is random and printed by echo, which no shell starts a program for, so that no other user can read it
# and no process can print a section of its own.
LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin
export LC_ALL PATH
exec 2>/dev/null
renice -n 19 -p $$ >/dev/null

section() {
    echo
    echo "$boundary $1"
}

# The same counters some time later: what was used in between.
wait_a_moment() {
    sleep 0.2 || sleep 1
}

cpu() {
    if [ -r /proc/stat ]; then
        section "$1"
        head -n 1 /proc/stat
    fi
}

# pid, user and system time. The name is in brackets and may hold anything: the last bracket ends it.
ticks() {
    [ -r /proc/stat ] || return
    section "$1"
    cat /proc/[0-9]*/stat |
        sed -n 's/^\([0-9][0-9]*\) (.*) [A-Za-z] \([-0-9][0-9]* \)\{10\}\([0-9]*\) \([0-9]*\) .*/\1 \3 \4/p' |
        head -n 20000
}

# Only local file systems, since df waits for a file server that does not answer.
disks() {
    set --
    if [ -r /proc/mounts ]; then
        while read -r device where type flags rest; do
            case $flags in ro | ro,*) continue ;; esac
            case $type:$where in
            ext[234]:* | xfs:* | btrfs:* | zfs:* | f2fs:* | jfs:* | reiserfs:* | bcachefs:*) ;;
            vfat:* | exfat:* | ntfs3:* | ubifs:* | jffs2:*) ;;
            overlay:/ | tmpfs:/tmp | tmpfs:/run | tmpfs:/dev/shm) ;;
            *) continue ;;
            esac
            # Blanks and the like are written \040.
            case $where in *\\*) where=$(printf %b "$where") ;; esac
            set -- "$@" "$where"
            [ $# -lt 64 ] || break
        done </proc/mounts
        [ $# -gt 0 ] || set -- /
        section disks
        df -P -k "$@"
        section inodes
        df -P -i "$@"
    else
        section disks
        df -P -k -l | head -n 200
        section inodes
        df -i -k -l | head -n 200
    fi
}

system() {
    section system
    uname -n
    uname -s
    uname -r
    uname -m
    if [ -r /proc/stat ]; then
        section cpus
        grep -c '^cpu[0-9]' /proc/stat
        section load
        head -n 1 /proc/loadavg
        section uptime
        head -n 1 /proc/uptime
        section memory
        grep -E "^(Mem|Swap(Total|Free)|Buffers|Cached)" /proc/meminfo
        section count
        set -- /proc/[0-9]*
        echo $#
    else
        section clock
        date +%s
        for name in hw.ncpu hw.physmem hw.memsize hw.pagesize vm.loadavg kern.boottime kern.cp_time vm.swapusage \
            vm.stats.vm.v_page_count vm.stats.vm.v_free_count vm.stats.vm.v_inactive_count \
            vm.stats.vm.v_laundry_count vm.stats.vm.v_cache_count; do
            section "sysctl $name"
            sysctl -n "$name" | head -n 1
        done
        section vm_stat
        vm_stat | head -n 40
        section count
        ps -A -o pid= | grep -c .
    fi
}

# The busiest first, where ps knows how busy they are. The third form is a busybox made as small as possible.
processes() {
    section processes
    {
        ps -A -ww -o pid,ppid,user,stat,pcpu,rss,args || ps -o pid,ppid,user,stat,rss,args || ps w
    } | cut -b 1-320 | {
        IFS= read -r header
        echo "$header"
        sort -k 5,5rn | head -n 1000
    }
}

probe() {
    boundary=$1
    system
    cpu cpu
    if [ "$2" = processes ]; then
        ticks ticks
        processes
    else
        disks
    fi
    if [ "$3" = pause ]; then
        wait_a_moment
        cpu cpu2
        [ "$2" = processes ] && ticks ticks2
    fi
    section end
}
