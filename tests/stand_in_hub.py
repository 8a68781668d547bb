"""A hub of the tests' own: on a free port of this machine, named in HF_ENDPOINT."""

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"  # behind every branch and tag


@contextmanager
def hub_of(handler: type[BaseHTTPRequestHandler], monkeypatch) -> Iterator[str]:
    """The hub's address, while it answers."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("HF_ENDPOINT", address)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)  # an earlier import may have fixed it
    try:
        yield address
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def serving(repositories: dict[str, dict[str, bytes]], asked: list[str]) -> type[BaseHTTPRequestHandler]:
    """``{owner/name: {file: bytes}}``, the same at any revision; every path asked for is noted."""

    class Hub(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            self.answer(body=True)

        def do_HEAD(self):
            self.answer(body=False)

        def answer(self, *, body: bool):
            path = unquote(urlsplit(self.path).path)
            asked.append(path)
            match path.strip("/").split("/"):
                case ["api", "models" | "datasets", owner, name, "revision", *revision]:
                    files = repositories.get(f"{owner}/{name}")
                    commit = revision[0] if re.fullmatch(r"[0-9a-f]{40}", revision[0]) else COMMIT
                    listed = [{"rfilename": file, "size": len(data)} for file, data in (files or {}).items()]
                    said = json.dumps({"id": f"{owner}/{name}", "sha": commit, "siblings": listed}).encode()
                    self.reply(None if files is None else said, commit, body)
                case ["datasets", owner, name, "resolve", commit, *file] | [owner, name, "resolve", commit, *file]:
                    self.reply(repositories.get(f"{owner}/{name}", {}).get("/".join(file)), commit, body)
                case _:
                    self.reply(None, COMMIT, body)

        def reply(self, data: bytes | None, commit: str, body: bool):
            self.send_response(200 if data is not None else 404)
            data = data or b""
            self.send_header("Content-Length", str(len(data)))
            self.send_header("ETag", f'"{hashlib.sha1(data).hexdigest()}"')
            self.send_header("X-Repo-Commit", commit)
            self.end_headers()
            if body:
                self.wfile.write(data)

        def log_message(self, *_):
            pass

    return Hub
