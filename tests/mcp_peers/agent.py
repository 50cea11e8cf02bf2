"""An outside agent on the official Python SDK: it watches a session, suggests a command, and learns what became of it.

    agent.py SESSION COMMAND MODE stdio PROGRAM ARGUMENT…
    agent.py SESSION COMMAND MODE http URL TOKEN

MODE is the SDK's: auto, or legacy for the handshake. Prints what it does, a line each.
"""

import contextlib
import json
import os
import sys

import anyio
from mcp import Client, StdioServerParameters, types
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


def say(*words):
    print(*words, flush=True)


def transport(kind, rest):
    if kind == "stdio":
        return StdioServerParameters(command=rest[0], args=rest[1:], env=dict(os.environ))
    url, token = rest
    return streamable_http_client(url, http_client=create_mcp_http_client(headers={"Authorization": f"Bearer {token}"}))


async def call(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        raise SystemExit(f"{tool}: {result.content[0].text}")
    return result.structured_content


@contextlib.asynccontextmanager
async def changes(client, uri, told):
    """Yields what waits for the next change of the resource, in the way of the revision in force."""
    if client.protocol_version >= "2026":
        async with client.listen(resource_subscriptions=[uri]) as events:
            yield events.__anext__
    else:
        await client.subscribe_resource(uri)
        yield told.receive


async def follow(client, uri, next_change):
    """The card's fate, read whenever the session tells of a change."""
    seen = None
    while True:
        about = json.loads((await client.read_resource(uri)).contents[0].text)
        card = about["cards"][-1]
        if card["state"] != seen:
            seen = card["state"]
            edited = f", edited to: {card['command']}" if card.get("was_edited") else ""
            say(f"agent: my card is {seen}{edited}")
        if seen in ("done", "dismissed", "stale", "refused"):
            return card
        await next_change()


async def main(session, command, mode, kind, *rest):
    heard, told = anyio.create_memory_object_stream(100)

    async def on_message(message):
        if isinstance(message, types.ResourceUpdatedNotification):
            await heard.send(message)

    info = types.Implementation(name="editor", version="1.0")
    async with Client(transport(kind, rest), mode=mode, client_info=info, message_handler=on_message) as client:
        tools = (await client.list_tools()).tools
        size = len(json.dumps([tool.model_dump(by_alias=True, exclude_none=True) for tool in tools], separators=(",", ":")))
        say(f"agent: connected in {client.protocol_version}; {len(tools)} tools, {size} bytes: {', '.join(t.name for t in tools)}")
        listed = (await call(client, "session", action="list"))["sessions"]
        mine = next(one for one in listed if session in (one["id"], one["alias"], one["ssh_host"]))
        say(f"agent: {mine['alias']} is {mine['ssh_host']}, {mine['state']}")
        await call(client, "session", action="wait", session_id=session, until="at_prompt", timeout_ms=60000)
        uri = f"aissh://session/{mine['id']}"
        async with changes(client, uri, told) as next_change:
            await call(client, "copilot", action="suggest", session_id=session, commands=[
                {"command": command, "description": "what it says", "risk": "low"}])
            say(f"agent: I suggest: {command}")
            card = await follow(client, uri, next_change)
        page = await call(client, "session", action="output", session_id=session, from_line=0)
        say(f"agent: it ended with {card['exit_code']}; the terminal shows:")
        for line in page["text"].splitlines()[-3:]:
            say(f"    {line}")
        say("agent: done")


anyio.run(main, *sys.argv[1:])
