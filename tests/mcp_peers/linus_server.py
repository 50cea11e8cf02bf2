"""A small Linus on the official Python SDK: the contract's four tools, over HTTP or stdio.

    linus_server.py http [--json]   on a free loopback port, which uvicorn names on stderr
    linus_server.py stdio [legacy]  legacy: ends at once when it is asked in the modern era, as some servers do

It keeps what it was told by session, in memory: a chat tells it back, so a test sees that both lanes reached one Linus.
"""

import collections
import io
import os
import sys
import threading

from mcp.server import MCPServer
from mcp.server.mcpserver import Context

server = MCPServer("python-linus", version="1.0")
seen = collections.defaultdict(list)


@server.tool()
async def linus_chat(session_id: str, message: str, context: dict, ctx: Context) -> dict:
    """Answers a chat message with what this session did before."""
    await ctx.report_progress(1, 2, "thinking")
    said = f"you said: {message}; I saw {', '.join(seen[session_id]) or 'nothing'}"
    command = {"id": "cmd_1", "command": "df -h", "description": "how full it is", "risk": "low"}
    return {"chat_response": {"message": said, "mentions": []}, "suggested_commands": {"commands": [command]}}


@server.tool()
def linus_terminal_update(session_id: str, new_output: str, terminal_tail: str, context: dict) -> dict:
    seen[session_id].append("an update")
    return {}


@server.tool()
def linus_command_executed(
    session_id: str,
    command: str,
    source: str,
    output: str,
    exit_code: int | None,
    context: dict,
    suggestion_id: str | None = None,
    was_edited: bool | None = None,
) -> dict:
    seen[session_id].append(f"{command} = {exit_code}")
    return {}


@server.tool()
def linus_session_state(session_id: str, event: str, context: dict) -> dict:
    seen[session_id].append(event)
    return {}


def refuse_the_modern_era() -> None:
    """Reads as the server will, and is gone at the first question of the era it does not know."""
    source = sys.stdin.buffer
    first = source.readline()
    if b"server/discover" in first:
        print("python-linus: unexpected request before initialize", file=sys.stderr, flush=True)
        os._exit(1)
    read, write = os.pipe()

    def feed() -> None:
        chunk = first
        while chunk:
            os.write(write, chunk)
            chunk = source.read1(65536)
        os.close(write)

    sys.stdin = io.TextIOWrapper(os.fdopen(read, "rb"), encoding="utf-8")
    threading.Thread(target=feed, daemon=True).start()


if sys.argv[1] == "http":
    server.run("streamable-http", host="127.0.0.1", port=0, json_response="--json" in sys.argv)
else:
    print("a line of a log that went astray", flush=True)
    if "legacy" in sys.argv:
        refuse_the_modern_era()
    server.run("stdio")
