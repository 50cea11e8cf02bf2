"""A server on stdio that goes wrong as it is told: stdio_peer.py LOG ERA FAULT. Only the standard library.

Every message that it reads is appended to LOG, a line each. ERA is modern or legacy. It tells a chat back with its own
process id, so that a test sees who answered.
"""

import json
import os
import signal
import sys
import threading
import time

log, era, fault = sys.argv[1:]
MODERN = "2026-07-28"
TOOLS = ["linus_chat", "linus_terminal_update", "linus_command_executed", "linus_session_state"]


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(request, result):
    say({"jsonrpc": "2.0", "id": request["id"], "result": result})


def call(request):
    name, arguments = request["params"]["name"], request["params"]["arguments"]
    message = arguments.get("message", "")
    if name == "linus_terminal_update" and fault == "slow-update":
        return
    if message == "hang":
        return
    if message == "die":
        print("\x1b[31mno model\x1b[0m left", file=sys.stderr, flush=True)
        os._exit(7)
    if message == "flood":
        while True:
            sys.stdout.write("{" + "}" * 60 + "\n")
    if message == "line":
        while True:
            sys.stdout.write("x" * 65536)
    if message == "unreadable":
        say({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "cannot read"}})
        return
    if message == "noise":
        sys.stdout.write("INFO a line of a log\r\n\r\n\xff\n")
        say({"jsonrpc": "2.0", "id": str(request["id"]), "result": {"wrong": "type of id"}})
        say({"jsonrpc": "2.0", "id": 999999, "result": {}})
        say({"jsonrpc": "2.0", "id": "p", "method": "ping"})
        say({"jsonrpc": "2.0", "id": "r", "method": "roots/list"})
        token = request["params"]["_meta"]["progressToken"]
        note = {"progressToken": token, "progress": 1, "message": "look"}
        say([{"jsonrpc": "2.0", "method": "notifications/progress", "params": note}])
    envelope = {"chat_response": {"message": f"{message} {os.getpid()}"}} if name == "linus_chat" else {}
    answer(request, {"content": [], "structuredContent": envelope})


def take(request):
    method = request.get("method")
    if method == "server/discover":
        if fault == "dies-of-probe":
            sys.exit(1)
        if fault == "deaf-to-probe":
            return
        if era == "legacy":
            say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": "no"}})
        else:
            answer(request, {"resultType": "complete", "supportedVersions": [MODERN]})
    elif method == "initialize":
        answer(request, {"protocolVersion": "2025-11-25", "serverInfo": {"name": "stdio", "version": "1"}})
    elif method == "tools/list":
        answer(request, {"tools": [{"name": tool, "inputSchema": {}} for tool in TOOLS]})
        if fault == "stops-reading":
            time.sleep(10000)
    elif method == "tools/call":
        call(request)


if fault == "never-ends":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    threading.Thread(target=time.sleep, args=(10000,)).start()
if fault == "complains":
    print("x" * 1_000_000 + "\nthe last word", file=sys.stderr, flush=True)
    sys.exit(3)
with open(log, "a", encoding="utf-8") as record:
    print(json.dumps({"pid": os.getpid()}), file=record, flush=True)
    for line in sys.stdin:
        print(line, file=record, end="", flush=True)
        take(json.loads(line))
