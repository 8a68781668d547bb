"""The page that the server sends first brings the frame's style, so that nothing jumps, and names the browser."""

from pathlib import Path

from embedlab.ui.frame.session import session_cookie

FRAME = Path(__file__).with_name("frame.css")
OWN_PAGES = "/lesson/"  # files that are the same however they are opened, with a policy of their own
_UNWANTED = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")  # else there is no text to add to


class EarlyStyle:
    """ASGI middleware: ``frame.css`` at the end of the head of every page of Streamlit's, and the session's cookie with
    it; all else passes as it is.
    """

    def __init__(self, app):
        self.app = app
        self.style = f"<style>\n{FRAME.read_text(encoding='utf-8')}</style>".encode()

    async def __call__(self, scope, receive, send):
        """Answer one request."""
        is_page = scope["type"] == "http" and b"text/html" in dict(scope["headers"]).get(b"accept", b"")
        if not is_page or scope["path"].startswith(OWN_PAGES):
            await self.app(scope, receive, send)
            return
        asked = {**scope, "headers": [each for each in scope["headers"] if each[0] not in _UNWANTED], "extensions": {}}
        start, body = None, b""

        async def styled(message):
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = message
                return
            body += message.get("body", b"")
            if message.get("more_body"):
                return
            headers = [each for each in start["headers"] if each[0].lower() not in (b"content-length", b"etag")]
            if dict(start["headers"]).get(b"content-type", b"").startswith(b"text/html"):
                body = body.replace(b"</head>", self.style + b"</head>", 1)
            headers.append((b"content-length", str(len(body)).encode()))
            if (cookie := session_cookie(dict(scope["headers"]).get(b"cookie", b"").decode("latin-1"))) is not None:
                headers.append((b"set-cookie", cookie.encode()))
            await send({**start, "headers": headers})
            await send({"type": "http.response.body", "body": body})

        await self.app(asked, receive, styled)
