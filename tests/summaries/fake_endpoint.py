"""A server on this computer that answers as OpenAI-compatible ones do, and misbehaves when it is told to."""

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODEL = "tiny-writer"
_NOUNS = "crops maps encoders labels texts neighbors summaries vectors".split()
_VERBS = "improve separate describe move cluster explain".split()


class FakeEndpoint:
    """``behaviours`` is used up request by request: html, no json, no choices, blank, empty text, 500, 503 wait,
    429, 404, 401, 302, cut, huge, or a ``threading.Event`` to wait for; afterwards it answers well."""

    def __init__(self, *, honours_n: bool = True, port: int = 0):
        self.behaviours: list = []
        self.requests: list[dict] = []
        self.headers: list[dict] = []
        self.honours_n = honours_n
        self.port = port
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self) -> "FakeEndpoint":
        """Listen; on the same port as before where it was started once."""
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                fake._answer(self)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # whoever asked has left
        self.port = self.server.server_port
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()
        return self

    def stop(self) -> None:
        """Nobody answers from here on."""
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def asked_texts(self) -> list[str]:
        """What was to be continued, in the order of the requests."""
        return [body.get("prompt") or body["messages"][-1]["content"] for body in self.requests]

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            self.requests.append(body)
            self.headers.append(dict(handler.headers))
            behaviour = self.behaviours.pop(0) if self.behaviours else "well"
        if isinstance(behaviour, threading.Event):
            behaviour.wait(60)
            behaviour = "well"
        well = json.dumps(self._choices(handler.path, body)).encode()
        if behaviour == "cut":
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(well)))
            handler.end_headers()
            handler.wfile.write(well[: len(well) // 2])
            handler.wfile.flush()
            handler.close_connection = True
            return
        status, content = {
            "well": (200, well),
            "html": (200, b"<!DOCTYPE html><html><body>Welcome</body></html>"),
            "no json": (200, b"hello"),
            "no choices": (200, b'{"choices": []}'),
            "no object": (200, b"[1, 2]"),
            "empty text": (200, json.dumps({"choices": [{"text": " \n", "message": {"content": None}}]}).encode()),
            "error in 200": (200, b'{"error": {"message": "the queue is full"}}'),
            "huge": (200, b'{"choices": [{"text": "' + b"a" * (2**20) + b'"}]}'),
            "500": (500, b"<html>Internal Server Error</html>"),
            "429": (429, b'{"error": {"message": "slow down"}}'),
            "404": (404, b'{"error": {"message": "The model `tiny-writer` does not exist.", "code": 404}}'),
            "400": (400, b'{"detail": "top_k is not known"}'),
            "401": (401, b'{"error": "who are you?"}'),
            "401 with the key": (401, json.dumps({"error": handler.headers.get("Authorization")}).encode()),
            "200 with the key": (200, json.dumps({"error": handler.headers.get("Authorization")}).encode()),
            "500 with the key": (500, json.dumps({"error": handler.headers.get("Authorization")}).encode()),
            "302": (302, b""),
        }[behaviour]
        handler.send_response(status)
        if status == 302:
            handler.send_header("Location", "http://169.254.169.254/v1/completions")
        if status == 429:
            handler.send_header("Retry-After", "7")
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    def _choices(self, path: str, body: dict) -> dict:
        """Sentences that depend on what was asked and on the seed, as those of a server that honours it."""
        chat = path.endswith("/chat/completions")
        text = body["messages"][-1]["content"] if chat else body["prompt"]
        lines = [_sentence(text, body["seed"], place) for place in range(body["n"] if self.honours_n else 1)]
        choices = [{"index": i, "message": {"role": "assistant", "content": line}} for i, line in enumerate(lines)]
        if not chat:
            choices = [{"index": i, "text": f" {line}\nAnd more."} for i, line in enumerate(lines)]
        usage = {"prompt_tokens": len(text.split()), "completion_tokens": sum(len(line.split()) for line in lines)}
        return {"model": body["model"], "choices": choices, "usage": usage}


def _sentence(text: str, seed: int, place: int) -> str:
    digest = hashlib.sha256(f"{text} {seed} {place}".encode()).digest()
    nouns = [_NOUNS[byte % len(_NOUNS)] for byte in digest[:3]]
    return f"{nouns[0]} {_VERBS[digest[3] % len(_VERBS)]} {nouns[1]} of {nouns[2]} {digest.hex()[:6]}."
