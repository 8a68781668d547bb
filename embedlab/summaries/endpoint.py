"""An OpenAI-compatible server (vLLM, Ollama, llama.cpp) continues the prompts; the texts are sent to its address."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Literal

import httpx
from pydantic import Field

from embedlab.config import Config
from embedlab.errors import SettingsError
from embedlab.private import secret
from embedlab.progress import Progress, silent
from embedlab.summaries.addresses import PinnedTransport, base_url, looked_up
from embedlab.summaries.base import Made, SourceText, Summariser
from embedlab.summaries.continuations import Asker

KEY_VARIABLE = "EMBEDLAB_ENDPOINT_KEY"
_LOOK_SECONDS = 0.2  # how often Stop is looked for while answers are waited for


class EndpointConfig(Config):
    """Whom to ask, and how."""

    url: str = Field(
        "http://127.0.0.1:8000/v1",
        min_length=1,
        description="Base address of the server (http or https); the texts are sent there. vLLM: port 8000, "
        "Ollama: 11434, llama.cpp: 8080. A key is read from the environment variable EMBEDLAB_ENDPOINT_KEY.",
    )
    model: str = Field(min_length=1, description="The model's name, as the server knows it.")
    api: Literal["completions", "chat"] = Field(
        "completions",
        description="Completions continue the text, as in the paper; chat asks an instruction-tuned model to finish "
        "it, which the paper found slightly worse.",
    )
    max_new_tokens: int = Field(128, ge=4, le=4096, description="Maximum number of tokens in an answer.")
    max_input_characters: int = Field(
        6000, ge=200, le=1_000_000, description="Characters read; the beginning of a longer text is left out."
    )
    temperature: float = Field(1.0, ge=0.0, le=5.0, description="Larger values draw unlikely tokens more often.")
    top_p: float = Field(
        0.95, gt=0.0, le=1.0, description="Draws only from the likeliest tokens that together have this probability."
    )
    top_k: int | None = Field(
        3,
        ge=1,
        le=1000,
        description="Draws only from this many likeliest tokens; empty: not sent, for servers that do not support it.",
    )
    seed: int = Field(0, ge=0, le=2**31 - 1, description="Sent with each request, varied by text and prompt.")
    timeout_seconds: float = Field(120.0, ge=1.0, le=3600.0, description="How long to wait for one answer.")
    retries: int = Field(5, ge=0, le=20, description="Retries after an unusable answer.")
    requests_at_once: int = Field(4, ge=1, le=64, description="Texts that are requested at the same time.")


class Endpoint(Summariser):
    """Any server with ``/v1/completions`` or ``/v1/chat/completions``."""

    key = "endpoint"
    title = "Endpoint"
    sentence = "A server with an OpenAI-compatible interface (vLLM, Ollama, llama.cpp) continues five prompts."
    paper = "SemCSE, section 4.1 and A.2"
    config_class = EndpointConfig
    speed_only = frozenset({"timeout_seconds", "retries", "requests_at_once"})

    def __init__(
        self,
        config: EndpointConfig,
        *,
        continuations: int = 3,
        sleep: Callable[[float], Awaitable] = asyncio.sleep,
        transport: Callable[[], httpx.AsyncBaseTransport] = httpx.AsyncHTTPTransport,
    ):
        super().__init__(config, continuations=continuations)
        self.url = base_url(config.url)
        self._sleep, self._transport = sleep, transport
        self._addresses: list[str] = []

    @property
    def model(self) -> str:
        return self.config.model

    def prepare(self, progress: Progress = silent) -> None:
        """Look its address up, once."""
        progress(f"Looking up {self.url.host}")
        self._addresses = looked_up(self.url)

    def decides(self) -> dict:
        decisive = super().decides()
        return decisive | {"settings": decisive["settings"] | {"url": str(self.url)}}

    def summarise(self, texts: Sequence[SourceText], tick: Callable[[], None] = lambda: None) -> Iterator[Made]:
        """Several texts are asked about at once. After a failure those under way are waited for, and none is begun."""
        waiting, failure = list(reversed(texts)), None
        with asyncio.Runner() as runner:
            client = runner.run(self._client())
            asker = Asker(client, self.url, self.config, self.continuations, sleep=self._sleep, key=_key())
            under_way: set[asyncio.Task] = set()
            try:
                while under_way or (waiting and failure is None):
                    while waiting and failure is None and len(under_way) < self.config.requests_at_once:
                        under_way.add(runner.get_loop().create_task(asker.about(waiting.pop())))
                    tick()
                    finished, under_way = runner.run(_first(under_way))
                    for task in finished:
                        if task.exception() is None:
                            yield task.result()
                        elif failure is None:
                            failure = task.exception()
            finally:
                runner.run(_end(under_way, client))
        if failure is not None:
            raise failure

    async def _client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            transport=PinnedTransport(list(self._addresses), self._transport()),
            timeout=self.config.timeout_seconds,
            follow_redirects=False,
        )


async def _first(tasks: set[asyncio.Task]) -> tuple[set, set]:
    return await asyncio.wait(tasks, timeout=_LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)


async def _end(tasks: set[asyncio.Task], client: httpx.AsyncClient) -> None:
    """Break off what is under way, and close the connections."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await client.aclose()


def _key() -> str | None:
    """The key, read when it is needed and kept nowhere."""
    key = secret(KEY_VARIABLE) or ""
    if not all("!" <= character <= "~" for character in key):
        raise SettingsError(
            "E-ENDPOINT-KEY",
            f"A key consists of letters, digits and punctuation, but {KEY_VARIABLE} contains other characters.",
        )
    return key or None
