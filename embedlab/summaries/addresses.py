"""Where texts may be sent: http or https, resolved once, never to an address of this machine's own services."""

import ipaddress
import re
import socket
from collections.abc import Callable

import httpx

from embedlab.errors import NetworkError, SettingsError

_METADATA_NAMES = {"metadata", "metadata.google.internal", "instance-data", "metadata.azure.internal"}
_METADATA_ADDRESSES = {"fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16"}


def base_url(written: str) -> httpx.URL:
    """The given address without parts pasted by accident; ``/v1`` if it has no path."""
    try:
        url = httpx.URL(written.strip())
    except (httpx.InvalidURL, ValueError, TypeError):
        raise _refused(written, "is not an address") from None
    if url.scheme not in ("http", "https"):
        raise _refused(written, "is neither http nor https")
    if url.userinfo or url.query or url.fragment:
        raise SettingsError(
            "E-ENDPOINT-URL",
            "An endpoint's address must not contain a name, password, query or fragment, because it is stored with "
            "the settings. Put the key into the environment variable EMBEDLAB_ENDPOINT_KEY and give the address alone.",
        )
    if not re.fullmatch(r"[\w.:-]+", url.host) or not 0 < (url.port or 80) < 65_536:
        raise _refused(written, "has no host and port")
    path = url.path.rstrip("/")
    for ending in ("/chat/completions", "/completions"):
        path = path.removesuffix(ending)
    return url.copy_with(path=path or "/v1")


def looked_up(url: httpx.URL, resolve: Callable = socket.getaddrinfo) -> list[str]:
    """The addresses of a host, each checked; a single forbidden one refuses them all."""
    host = url.host.rstrip(".").lower()
    if host in _METADATA_NAMES:
        raise _forbidden(url, host)
    try:
        entries = resolve(url.host, url.port or (443 if url.scheme == "https" else 80), type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise NetworkError(
            "E-ENDPOINT", f"There is no computer named {url.host!r}. Check the address of the endpoint."
        ) from None
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in entries))
    for written in addresses:
        address = ipaddress.ip_address(written.partition("%")[0])
        address = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None) or address
        odd = address.is_link_local or address.is_multicast or address.is_unspecified or address.is_reserved
        if (odd and not address.is_loopback) or str(address) in _METADATA_ADDRESSES:
            raise _forbidden(url, written)
    return addresses


class PinnedTransport(httpx.AsyncBaseTransport):
    """Connects only to the resolved addresses, whatever the name resolves to later."""

    def __init__(self, addresses: list[str], inner: httpx.AsyncBaseTransport):
        self.addresses, self.inner = addresses, inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        name = request.url.host
        for number, address in enumerate(self.addresses):
            pinned = httpx.Request(
                request.method,
                request.url.copy_with(host=address),
                headers=request.headers,  # Host among them, as it was asked for
                stream=request.stream,
                extensions=request.extensions | {"sni_hostname": name},
            )
            try:
                answer = await self.inner.handle_async_request(pinned)
            except httpx.ConnectError:
                if number == len(self.addresses) - 1:
                    raise
            else:
                self.addresses = [address, *(other for other in self.addresses if other != address)]
                return answer
        raise httpx.ConnectError("no address")

    async def aclose(self) -> None:
        await self.inner.aclose()


def _forbidden(url: httpx.URL, address: str) -> SettingsError:
    return SettingsError(
        "E-ENDPOINT-URL",
        f"{str(url)[:120]!r} leads to {address}, which cannot be a server of texts. Give the address of your own "
        f"server, or of one that you trust (this computer is 127.0.0.1).",
    )


def _refused(written: str, why: str) -> SettingsError:
    quoted = "what was given" if re.search("[@?#]", written) else repr(written[:120])  # it may hold a secret
    return SettingsError(
        "E-ENDPOINT-URL", f"The address of an endpoint must look like http://127.0.0.1:8000/v1, but {quoted} {why}."
    )
