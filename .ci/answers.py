"""Start a command, wait until it answers over HTTP, and see it answer one message; standard library only."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
import urllib.request
from http.cookiejar import CookieJar

_ADDRESS = re.compile(r"http://[\w.\[\]:]+:\d+")
_PATIENCE = 60.0  # seconds


def main(command: list[str]) -> None:
    """Run it, talk to it, stop it; exit 1 when it does not answer."""
    extra = ["--port", "0", "--no-open"] if command[-1] == "demo" else []
    process = subprocess.Popen(
        [*command, *extra], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        base = _address(process)
        chat = "lastword" if command[-1] == "demo" else "site"
        told = _talk(f"{base}/chat/{chat}", "!max_steps")
        if "continue" not in told:
            sys.exit(f"no note came back: {told!r}")
        print(f"{' '.join(command[1:])}: {told}")
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)


def _address(process: subprocess.Popen[str]) -> str:
    until = time.monotonic() + _PATIENCE
    assert process.stdout is not None
    while time.monotonic() < until:
        line = process.stdout.readline()
        found = _ADDRESS.search(line)
        if found:
            return found.group()
        if not line and process.poll() is not None:
            break
    sys.exit(f"it did not come up (exit code {process.poll()})")


def _talk(chat: str, text: str) -> str:
    """Send one message as a browser would; the note that comes back."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    headers = {"content-type": "application/json"}

    def post(path: str, body: dict[str, str]) -> None:
        request = urllib.request.Request(f"{chat}/{path}", json.dumps(body).encode(), headers, method="POST")
        opener.open(request, timeout=10).close()

    until = time.monotonic() + _PATIENCE
    while True:
        try:
            post("session", {})
            break
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)
    post("message", {"id": "ci-message-1", "text": text, "language": "en"})
    with opener.open(f"{chat}/events", timeout=30) as stream:
        for line in stream:
            if line.startswith(b"data:"):
                note = json.loads(line[5:]).get("note")
                if note:
                    return str(note["text"])
    sys.exit("the stream ended without a note")


if __name__ == "__main__":
    main(sys.argv[1:])
