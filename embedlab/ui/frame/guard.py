"""Who may talk to the app: every request and socket, the app's own and Streamlit's, passes ``Guard`` first.

A page of another site, or of another program on this computer, reaches a local server through the browser. What tells
it from ours is the Host it believes in (DNS rebinding), its Origin, and what the browser says of where it came from.
"""

import os
import sys
from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BEHIND_PROXY = "EMBEDLAB_BEHIND_PROXY"
HEADERS = {
    "Content-Security-Policy": "frame-ancestors 'self'",
    "X-Frame-Options": "SAMEORIGIN",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}
WRONG_ORIGIN = "Only this app's own pages may request this."


class Guard:
    """ASGI middleware: refuses foreign hosts and origins with 403, and adds ``HEADERS`` to every answer."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or let a socket open."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=[*message.get("headers", ())])
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                message["headers"] = headers.raw
            await send(message)

        refusal = refusal_of(Headers(scope=scope), is_socket=scope["type"] == "websocket")
        if refusal is None:
            await self.app(scope, receive, with_headers)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refusal})  # before it is accepted: a 403
        else:
            await PlainTextResponse(refusal, status_code=403)(scope, receive, with_headers)


def refusal_of(headers: Headers, *, is_socket: bool) -> str | None:
    """Why a request with these headers is refused, in a sentence; None if it is accepted.

    A page that is opened by a link of another site is answered, as it may not be read by that site.
    """
    host = headers.get("host", "")
    if not is_our_host(host):
        return "This app does not answer to that host name."
    origin = headers.get("origin")
    if origin is not None and not _is_our_origin(origin, host):
        return WRONG_ORIGIN
    is_opened = headers.get("sec-fetch-mode") == "navigate" and not is_socket
    if not is_opened and headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return WRONG_ORIGIN
    return None


def is_our_host(host: str) -> bool:
    """Whether a Host header names this computer or one of ``server.allowedHosts``."""
    try:
        parts = urlsplit(f"//{host}")
        name, _ = parts.hostname, parts.port  # reading the port checks it
    except ValueError:
        return False
    if not name or parts.netloc != host or parts.username is not None:
        return False
    return _is_named(name, ["localhost", "127.0.0.1", "::1", *_allowed_hosts()])


def _is_our_origin(origin: str, host: str) -> bool:
    """The exact host and port of the request, so that no other local program qualifies; or what the proxy serves."""
    try:
        parts = urlsplit(origin)
        name = parts.hostname or ""
    except ValueError:
        return False
    return parts.netloc.lower() == host.lower() or (is_behind_proxy() and _is_named(name, _public_hosts()))


def _is_named(name: str, hosts: Iterable[str]) -> bool:
    return any(name == host or host == "*" or (host[:2] == "*." and name.endswith(host[1:])) for host in hosts)


def _allowed_hosts() -> list[str]:
    return [str(host).strip().lower().rstrip(".") for host in st.get_option("server.allowedHosts") or []]


def _public_hosts() -> list[str]:
    return [host for host in _allowed_hosts() if not _is_loopback(host) and host != "*"]


def is_behind_proxy() -> bool:
    """Whether the starter of the app declares a proxy in front of it that signs people in."""
    return os.environ.get(BEHIND_PROXY, "").strip() == "1"


def refuse_open_network() -> None:
    """Abort the start of an app that anybody on the network could use.

    On an address other than this computer's own it needs Streamlit's sign-in (``[auth]`` in ``secrets.toml``), or a
    proxy that signs people in and the host name that it serves.
    """
    address = st.get_option("server.address") or "0.0.0.0"  # what Streamlit takes where nothing is said
    if _is_loopback(address) or address.startswith("unix://") or has_sign_in():
        return
    if is_behind_proxy() and _public_hosts():
        return
    what = (
        "its host name is missing: add --server.allowedHosts with the name that the proxy serves"
        if is_behind_proxy()
        else "anybody there could read your corpora and start work. Leave --server.address out to listen on this "
        "computer only, set up sign-in ([auth] in .streamlit/secrets.toml), or put a proxy that signs people in before "
        f"it and set {BEHIND_PROXY}=1 and --server.allowedHosts to the name that it serves"
    )
    print(f"embedlab does not start on {address}, an address of the network: {what}.", file=sys.stderr)
    sys.exit(2)


def has_sign_in() -> bool:
    """Whether Streamlit's sign-in is set up."""
    return st.secrets.load_if_toml_exists() and "auth" in st.secrets


def require_sign_in() -> None:
    """If sign-in is set up, stop the page for anybody not signed in."""
    if has_sign_in() and not st.user.is_logged_in:
        st.title("embedlab", anchor=False)
        st.button("Sign in", type="primary", on_click=st.login)
        st.stop()


def _is_loopback(address: str) -> bool:
    if address.lower() == "localhost":
        return True
    try:
        return ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return False
