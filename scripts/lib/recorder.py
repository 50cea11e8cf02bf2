"""Plays keys to a program in a PTY and writes down what it answers, for scripts/record-shells, record-programs and
record-screens.

NAME.jsonl has one JSON object a line. The first says what is true: {"shell", "theirs", "rows", "cols", "expect":
[{command, output, exit, cwd, user, host, home}]}; null where the recording cannot say. The rest is what happened, in
order: {"t": ms, "in": keys} and {"t": ms, "out": bytes as Latin-1 characters}. Replies that a terminal gives by itself
(CSI 6n) are given here too, and are not recorded.
"""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import termios
import time

OUT_DIR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "fixtures", "shell")
ROWS, COLS = 24, 80


class Recorder:
    """A program in a PTY; `as_user` in the child before it starts."""

    def __init__(self, argv, env, patience=0.0, as_user=lambda: None, key_by_key_for=5500):
        self.start = time.monotonic()
        self.events = []
        self.tail = b""
        self.patience = patience
        self.key_by_key_for = key_by_key_for
        pid, fd = pty.fork()
        if pid == 0:
            for ignored in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):  # by who started us in the background
                signal.signal(ignored, signal.SIG_DFL)
            as_user()
            os.chdir(env["HOME"])
            os.execvpe(argv[0], argv, env)
        self.pid, self.fd = pid, fd
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLS, 0, 0))

    def now(self):
        return int((time.monotonic() - self.start) * 1000)

    def pump(self, quiet):
        """Reads until nothing came for `quiet` seconds; returns what came."""
        got = b""
        quiet = max(quiet, self.patience) if quiet > 0.2 else quiet
        while select.select([self.fd], [], [], quiet)[0]:
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                break
            if not data:
                break
            got += data
            last = self.events[-1] if self.events else {}
            if "out" in last and self.now() - last["t"] < 3:
                last["out"] += data.decode("latin-1")
            else:
                self.events.append({"t": self.now(), "out": data.decode("latin-1")})
            if b"\x1b[6n" in data:
                line = re.split(rb"[\r\n]|\x1b\[\?1049[hl]", self.tail + data)[-1]
                column = len(re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07", b"", line)) + 1
                os.write(self.fd, b"\x1b[1;%dR" % column)
            self.tail = (self.tail + data)[-4096:]
        return got

    def key(self, keys):
        self.events.append({"t": self.now(), "in": keys})
        os.write(self.fd, keys.encode())

    def type(self, text):
        # Key by key at first, then word by word: the recordings stay small.
        one = r"\x1b\[.|." if self.now() < self.key_by_key_for else r"\x1b\[.|[^\x1b ]+ ?| "
        for key in re.findall(one, text, re.S):
            self.key(key)
            self.pump(0.02)

    def line(self, text, quiet=0.3):
        self.type(text)
        self.key("\r")
        return self.pump(quiet)

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def write(name, theirs, expect, events):
    os.makedirs(OUT_DIR, exist_ok=True)
    with open(os.path.join(OUT_DIR, name + ".jsonl"), "w") as f:
        head = {"shell": name, "theirs": theirs, "rows": ROWS, "cols": COLS, "expect": expect}
        for event in [head] + events:
            f.write(json.dumps(event, separators=(",", ":")) + "\n")
    print(f"{name}: {len(events)} events, {len(expect)} commands", flush=True)
