"""A hub of the tests' own with data sets at their pinned commits, as mteb's repositories are laid out."""

import hashlib
import json
from http.server import BaseHTTPRequestHandler
from urllib.parse import unquote, urlsplit


def handler(repositories: dict[str, dict[str, bytes]], asked: list[str]) -> type[BaseHTTPRequestHandler]:
    """``{owner/name: {file: bytes}}`` at any revision; every path asked for is noted."""

    class Hub(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            self.answer(body=True)

        def do_HEAD(self):
            self.answer(body=False)

        def answer(self, *, body: bool):
            path = unquote(urlsplit(self.path).path)
            asked.append(path)
            parts = path.strip("/").split("/")
            if parts[:2] == ["api", "datasets"]:
                files = repositories.get("/".join(parts[2:4]))
                sizes = [{"rfilename": name, "size": len(data)} for name, data in (files or {}).items()]
                data = json.dumps({"id": "/".join(parts[2:4]), "sha": parts[-1], "siblings": sizes}).encode()
                self.reply(None if files is None else data, parts[-1], body)
            else:  # datasets/owner/name/resolve/revision/file
                files = repositories.get("/".join(parts[1:3]), {})
                self.reply(files.get("/".join(parts[5:])), parts[4], body)

        def reply(self, data: bytes | None, commit: str, body: bool):
            self.send_response(200 if data is not None else 404)
            data = data or b""
            self.send_header("Content-Length", str(len(data)))
            self.send_header("ETag", f'"{hashlib.sha1(data).hexdigest()}"')
            self.send_header("X-Repo-Commit", commit)
            self.end_headers()
            if body:
                self.wfile.write(data)

        def log_message(self, *arguments):
            pass

    return Hub


def lines(rows: list[dict]) -> bytes:
    """JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def card(configs: dict[str, dict[str, str]]) -> bytes:
    """A README whose head names the files of each configuration by split."""
    head = ["---", "configs:"]
    for name, files in configs.items():
        head += [f"- config_name: {name}", "  data_files:"]
        for split, path in files.items():
            head += [f"  - split: {split}", f"    path: {path}"]
    return "\n".join([*head, "---", ""]).encode()


def sts(pairs: list[tuple[str, str, float]]) -> dict[str, bytes]:
    """A repository as those of STS."""
    return {"test.jsonl": lines([{"sentence1": a, "sentence2": b, "score": s} for a, b, s in pairs])}


def retrieval(documents: dict[str, str], questions: dict[str, tuple[str, dict[str, int]]]) -> dict[str, bytes]:
    """A repository as those of retrieval: corpus, queries and judgements as configurations."""
    judged = [
        {"query-id": q, "corpus-id": d, "score": g} for q, (_, grades) in questions.items() for d, g in grades.items()
    ]
    files = {
        "default": {"test": "qrels/test.jsonl"},
        "corpus": {"corpus": "corpus.jsonl"},
        "queries": {"queries": "queries.jsonl"},
    }
    return {
        "README.md": card(files),
        "corpus.jsonl": lines([{"_id": key, "title": "", "text": text} for key, text in documents.items()]),
        "queries.jsonl": lines([{"_id": key, "text": text} for key, (text, _) in questions.items()]),
        "qrels/test.jsonl": lines(judged),
    }
