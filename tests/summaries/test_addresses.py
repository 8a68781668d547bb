"""Where texts may be sent: only over http, only to computers that answer with texts, only where it was looked up."""

import asyncio
import socket

import httpx
import pytest

from embedlab.errors import EmbedlabError
from embedlab.summaries.addresses import PinnedTransport, base_url, looked_up


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/v1"),
        (" http://localhost:11434/v1/ ", "http://localhost:11434/v1"),
        ("https://example.org/openai/v1/chat/completions", "https://example.org/openai/v1"),
        ("http://[::1]:8080/v1/completions", "http://[::1]:8080/v1"),
    ],
)
def test_what_is_pasted_becomes_the_base_address(written, meant):
    assert str(base_url(written)) == meant


@pytest.mark.parametrize(
    "written",
    [
        "file:///etc/passwd",
        "gopher://127.0.0.1/v1",
        "ftp://example.org/v1",
        "127.0.0.1:8000",
        "//example.org/v1",
        "javascript:alert(1)",
        "http://",
        "http:///v1",
        "",
        "http://user:secret@127.0.0.1/v1",
        "http://127.0.0.1/v1?api_key=secret",
        "http://127.0.0.1/v1#mark",
        "http://exa mple.org",
        "http://127.0.0.1:99999/v1",
        "http://user:secret@127.0.0.1:x/v1",
        "ftp://user:secret@127.0.0.1/v1",
    ],
)
def test_other_addresses_are_refused_without_repeating_a_secret(written):
    with pytest.raises(EmbedlabError) as caught:
        base_url(written)
    assert caught.value.code == "E-ENDPOINT-URL" and "secret" not in caught.value.message


@pytest.mark.parametrize(
    "host",
    [
        "169.254.169.254",
        "2852039166",
        "0xA9FEA9FE",
        "0251.0376.0251.0376",
        "[::ffff:169.254.169.254]",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "100.100.100.200",
        "0.0.0.0",
        "[::]",
        "224.0.0.1",
        "255.255.255.255",
        "metadata.google.internal",
        "metadata.google.internal.",
        "METADATA",
    ],
)
def test_addresses_that_answer_for_the_machine_are_refused(host):
    with pytest.raises(EmbedlabError) as caught:
        looked_up(base_url(f"http://{host}:80/v1"))
    assert caught.value.code in ("E-ENDPOINT-URL", "E-ENDPOINT")
    assert host in ("[::]",) or caught.value.code == "E-ENDPOINT-URL", caught.value.message


def test_one_forbidden_address_among_several_refuses_the_name():
    def resolve(host, port, **_):
        return [(socket.AF_INET, None, 0, "", (address, port)) for address in ("93.184.216.34", "169.254.169.254")]

    with pytest.raises(EmbedlabError) as caught:
        looked_up(base_url("https://two-faced.example/v1"), resolve)
    assert caught.value.code == "E-ENDPOINT-URL"


def test_loopback_and_private_addresses_are_allowed():
    for host in ("127.0.0.1", "[::1]", "192.168.1.7", "10.0.0.8"):
        assert looked_up(base_url(f"http://{host}:8000/v1"))


def test_a_name_that_nobody_knows_is_said():
    def unknown(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")

    with pytest.raises(EmbedlabError, match="There is no computer named") as caught:
        looked_up(base_url("http://nowhere.invalid/v1"), unknown)
    assert caught.value.code == "E-ENDPOINT"


class Noted(httpx.AsyncBaseTransport):
    """Notes where a request would go; the first address refuses it."""

    def __init__(self):
        self.seen = []

    async def handle_async_request(self, request):
        self.seen.append((request.url.host, request.headers["Host"], request.extensions["sni_hostname"]))
        if request.url.host == "192.0.2.1":
            raise httpx.ConnectError("refused")
        return httpx.Response(200, json={"ok": True})


def test_requests_go_to_what_was_looked_up_whatever_the_name_means_later(monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", None)  # a second look-up would fail

    async def ask():
        noted = Noted()
        client = httpx.AsyncClient(transport=PinnedTransport(["192.0.2.1", "192.0.2.2"], noted))
        for _ in range(2):
            await client.post("https://models.example:8443/v1/completions", json={})
        await client.aclose()
        return noted.seen

    said = ("models.example:8443", "models.example")
    assert asyncio.run(ask()) == [("192.0.2.1", *said), ("192.0.2.2", *said), ("192.0.2.2", *said)]
