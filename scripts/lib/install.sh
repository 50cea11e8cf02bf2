# Sourced by scripts/test and scripts/demo: installs what is missing, and says what it cannot install.
# shellcheck shell=bash
export PATH="$PATH:/usr/sbin:/sbin"

die() {
    echo "${0##*/}: $*" >&2
    exit 1
}

# need COMMAND:PACKAGE…  installs the packages whose command is missing.
need() {
    local pair missing=()
    for pair in "$@"; do
        # shellcheck disable=SC2206 # one command may need several packages
        command -v "${pair%%:*}" > /dev/null || missing+=(${pair#*:})
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    command -v apt-get > /dev/null || die "please install: ${missing[*]} (there is no apt-get here to do it)"
    echo "installing: ${missing[*]}"
    as_root apt-get update -qq < /dev/null
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" \
        < /dev/null > /dev/null
}

# The sshd of tests and demo is root's: only root can hand a pty to a session.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        command -v sudo > /dev/null || die "needs root, or sudo, for: $*"
        sudo "$@"
    fi
}

# Asks for sudo's password now, while there is someone to type it. The server is started later without asking.
need_root() {
    [ "$(id -u)" = 0 ] || sudo -n true 2> /dev/null || as_root -v || die "sudo did not let us in"
}

# need_cargo SUBCOMMAND…  (fmt and clippy are components of their own)
need_cargo() {
    local component
    command -v cargo > /dev/null || PATH="$PATH:$HOME/.cargo/bin"
    command -v cargo > /dev/null || die "cargo is not installed; see https://rustup.rs (Rust 1.88 or later)"
    for component in "$@"; do
        cargo "$component" --version > /dev/null 2>&1 ||
            die "cargo $component is not installed; with rustup: rustup component add rustfmt clippy"
    done
}
