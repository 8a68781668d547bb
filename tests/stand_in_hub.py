"""A hub of the tests' own: on a free port of this machine, named in HF_ENDPOINT."""

import base64
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


def serving(
    repositories: dict[str, dict[str, bytes]], asked: list[str], private: set[str] | frozenset[str] = frozenset()
) -> type[BaseHTTPRequestHandler]:
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
                    facts = {"id": f"{owner}/{name}", "sha": commit, "private": f"{owner}/{name}" in private}
                    said = json.dumps({**facts, "siblings": listed}).encode()
                    self.reply(None if files is None else said, commit, body)
                case ["datasets", owner, name, "resolve", commit, *file] | [owner, name, "resolve", commit, *file]:
                    self.reply(repositories.get(f"{owner}/{name}", {}).get("/".join(file)), commit, body)
                case _:
                    self.reply(None, COMMIT, body)

        def reply(self, data: bytes | None, commit: str, body: bool, status: int = 200):
            self.send_response(status if data is not None else 404)
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


def taking(
    repositories: dict[str, dict[str, bytes]], asked: list[str], private: set[str], *, token: str, owner: str
) -> type[BaseHTTPRequestHandler]:
    """The same, which also takes the pushes of whoever has this token, to this owner; weights come by Git LFS."""
    blobs: dict[str, bytes] = {}  # SHA-256 -> what was put there

    class Hub(serving(repositories, asked, private)):
        def do_PUT(self):
            blobs[self.path.rpartition("/")[2]] = self.sent()
            self.reply(b"", COMMIT, True)

        def do_POST(self):
            path, sent = unquote(urlsplit(self.path).path), self.sent()
            asked.append(path)
            status, said = self.posted(path.strip("/").split("/"), sent)
            self.reply(json.dumps(said).encode(), COMMIT, True, status)

        def posted(self, parts: list[str], sent: bytes) -> tuple[int, dict]:
            if self.headers["Authorization"] != f"Bearer {token}":
                return 401, {"error": "Invalid username or password."}
            here = f"http://{self.headers['Host']}"
            match parts:
                case ["api", "repos", "create"]:
                    wanted = json.loads(sent)
                    name = f"{wanted['organization']}/{wanted['name']}"
                    if wanted["organization"] != owner:
                        return 403, {"error": "You don't have the rights to create a model under this namespace"}
                    if name in repositories:
                        return 409, {"error": "You already created this model repo", "url": f"{here}/{name}"}
                    repositories[name] = {}
                    private.update({name} if wanted.get("visibility") == "private" else ())
                    return 200, {"url": f"{here}/{name}"}
                case ["api", "validate-yaml"]:
                    return 200, {"errors": [], "warnings": []}
                case ["api", "models", _, _, "preupload", "main"]:
                    return 200, {"files": [_mode(file["path"]) for file in json.loads(sent)["files"]]}
                case [_, _, "info", "lfs", "objects", "batch"]:
                    listed = json.loads(sent)["objects"]
                    return 200, {
                        "objects": [
                            {**each, "actions": {"upload": {"href": f"{here}/lfs/{each['oid']}"}}} for each in listed
                        ]
                    }
                case ["api", "models", _, name, "commit", "main"]:
                    for line in map(json.loads, sent.splitlines()):
                        value = line["value"]
                        if line["key"] == "file":
                            repositories[f"{owner}/{name}"][value["path"]] = base64.b64decode(value["content"])
                        elif line["key"] == "lfsFile":
                            repositories[f"{owner}/{name}"][value["path"]] = blobs[value["oid"]]
                    return 200, {"commitUrl": f"{here}/{owner}/{name}/commit/{COMMIT}", "commitOid": COMMIT}
            return 404, {"error": "Not found"}

        def sent(self) -> bytes:
            if "chunked" not in self.headers.get("Transfer-Encoding", ""):
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))
            parts = []
            while size := int(self.rfile.readline(), 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)

    return Hub


def _mode(path: str) -> dict:
    return {"path": path, "uploadMode": "lfs" if path.endswith(".safetensors") else "regular", "shouldIgnore": False}
