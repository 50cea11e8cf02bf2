# Sourced: MCP peers of other authors, installed once below target/ by npm and pip, at pinned versions.
# shellcheck shell=bash

mcp_peers_folder() {
    mkdir -p "${CARGO_TARGET_DIR:-target}/mcp-peers"
    (cd "${CARGO_TARGET_DIR:-target}/mcp-peers" && pwd)
}

# Node of the version that the suite needs (Debian's may be older), the suite, and a reference server. Sets NODE_PEERS
# to a folder with node, conformance, inspector and server-everything.
need_node_peers() {
    local folder
    need npm:npm
    folder=$(mcp_peers_folder)
    NODE_PEERS=$folder/bin
    node_peers_in "$folder" node@24 @modelcontextprotocol/conformance@0.2.0-alpha.12 \
        @modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/inspector@2.12.0
}

node_peers_in() {
    local folder=$1
    shift
    [ "$(cat "$folder/npm-done" 2> /dev/null)" != "$*" ] || return 0
    echo "installing: $*"
    rm -rf "$folder/npm" "$NODE_PEERS"
    mkdir -p "$folder/npm" "$NODE_PEERS"
    (cd "$folder/npm" && npm init -y > /dev/null && npm install --no-audit --no-fund --loglevel=error "$@" > /dev/null)
    local modules=$folder/npm/node_modules
    ln -s "$modules/node/bin/node" "$NODE_PEERS/node"
    ln -s "$modules/@modelcontextprotocol/conformance/dist/index.js" "$NODE_PEERS/conformance"
    ln -s "$modules/.bin/mcp-inspector" "$NODE_PEERS/inspector"
    ln -s "$modules/@modelcontextprotocol/server-everything/dist/index.js" "$NODE_PEERS/server-everything"
    echo "$*" > "$folder/npm-done"
}

# The official Python SDK. Sets PYTHON_PEER to a Python that has it.
need_python_peer() {
    local folder wanted=mcp==2.3.0
    need python3:python3
    folder=$(mcp_peers_folder)
    PYTHON_PEER=$folder/venv/bin/python
    [ "$(cat "$folder/pip-done" 2> /dev/null)" != "$wanted" ] || return 0
    python3 -c 'import ensurepip' 2> /dev/null || need_venv
    echo "installing: $wanted"
    rm -rf "$folder/venv"
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check "$wanted"
    echo "$wanted" > "$folder/pip-done"
}

# Debian has it in a package of its own.
need_venv() {
    as_root apt-get update -qq < /dev/null
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends python3-venv \
        < /dev/null > /dev/null
}
