"""A modern Linus behind TLS: tls_peer.py CERT KEY [CLIENT_CA]. Prints its port. With CLIENT_CA he wants to know who
calls, and tells the name back. Only the standard library.
"""

import http.server
import json
import ssl
import sys

TOOLS = ["linus_chat", "linus_terminal_update", "linus_command_executed", "linus_session_state"]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        subject = dict(pair[0] for pair in (self.connection.getpeercert() or {}).get("subject", ()))
        result = {
            "server/discover": {"supportedVersions": ["2026-07-28"]},
            "tools/list": {"tools": [{"name": tool, "inputSchema": {}} for tool in TOOLS]},
            "tools/call": {"structuredContent": {"chat_response": {"message": subject.get("commonName", "nobody")}}},
        }[request["method"]]
        body = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        pass


cert, key, *client_ca = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(cert, key)
if client_ca:
    context.load_verify_locations(client_ca[0])
    context.verify_mode = ssl.CERT_REQUIRED
server = Server(("127.0.0.1", 0), Handler)
# The handshake in the connection's own thread: one that fails must not hold up the next.
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(server.server_address[1], flush=True)
server.serve_forever()
