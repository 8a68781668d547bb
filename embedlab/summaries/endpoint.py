"""An OpenAI-compatible server (vLLM, Ollama, llama.cpp) continues the prompts; the texts are sent to its address.

Asked with httpx, not with the ``openai`` client, which would spare about 80 of the 500 lines of this file, answers.py
and addresses.py (retries, status codes, the fields of an answer) for one more package: it reads an answer of any
length into memory, hands a web page in place of JSON on as a text, stops at an empty answer, and its errors repeat
whatever the server said, a key that it echoes among it. Each of these has a sentence of its own here.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import httpx
from pydantic import Field

from embedlab.config import Config
from embedlab.errors import SettingsError
from embedlab.limits import LIMITS
from embedlab.private import secret
from embedlab.progress import Progress, silent
from embedlab.summaries.addresses import PinnedTransport, base_url, looked_up
from embedlab.summaries.answers import Answer, PassingFault, gave_up, read_answer, refusal, without_key
from embedlab.summaries.base import PROMPTS, Decisive, Made, SourceText, Summariser, joined, one_line, seed_of

KEY_VARIABLE = "EMBEDLAB_ENDPOINT_KEY"
_LOOK_SECONDS = 0.2  # how often Stop is looked for while answers are waited for


class EndpointConfig(Config):
    """The server to ask, and how."""

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


class Endpoint(Summariser[EndpointConfig]):
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
        """Resolve its address, once."""
        progress(f"Looking up {self.url.host}")
        self._addresses = looked_up(self.url)

    def decides(self) -> Decisive:
        decisive = super().decides()
        decisive["settings"]["url"] = str(self.url)
        return decisive

    def summarise(
        self, texts: Sequence[SourceText], tick: Callable[[], None] = lambda: None
    ) -> Generator[Made, None, None]:
        """Asks about several texts at once. After a failure, requests under way are awaited, and no new ones start."""
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


async def _first(tasks: set[asyncio.Task]) -> tuple[set[asyncio.Task], set[asyncio.Task]]:
    return await asyncio.wait(tasks, timeout=_LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)


async def _end(tasks: set[asyncio.Task], client: httpx.AsyncClient) -> None:
    """Cancel what is under way, and close the connections."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await client.aclose()


def _key() -> str | None:
    """The key, read on demand and never stored."""
    key = secret(KEY_VARIABLE) or ""
    if not all("!" <= character <= "~" for character in key):
        raise SettingsError(
            "E-ENDPOINT-KEY",
            f"A key consists of letters, digits and punctuation, but {KEY_VARIABLE} contains other characters.",
        )
    return key or None


_INSTRUCTION = (
    "You complete texts. The user sends a text whose last sentence is unfinished. Answer with the rest of that "
    "sentence only: do not repeat its beginning, do not comment, write one line."
)
_THOUGHTS = re.compile(r"^.*?</think>", re.DOTALL)  # what a reasoning model writes before it answers


@dataclass(frozen=True)
class Asker:
    """Asks with one client; a text's requests are sequential, so that a server can reuse its prompt cache."""

    client: httpx.AsyncClient
    url: httpx.URL
    config: EndpointConfig
    n: int
    sleep: Callable[[float], Awaitable]
    key: str | None

    async def about(self, source: SourceText) -> Made:
        """The summaries of one text."""
        text = joined(source.text, source.title)[-self.config.max_input_characters :]
        lines: list[str] = []
        requests = read = written = 0
        for number, prompt in enumerate(PROMPTS):
            continuations: list[str] = []
            tries = empty = 0
            while len(continuations) < self.n and empty <= self.config.retries:
                seed = seed_of(self.config.seed, text, number, tries) % 2**31
                answer = await self._answer(text, prompt, self.n - len(continuations), seed)
                new = [line for line in (self._line(each, prompt) for each in answer.texts) if line]
                continuations += new[: self.n - len(continuations)]
                empty += not new
                tries += 1
                requests += 1
                read += _counted(answer.tokens_read, len(text) + len(prompt))
                written += _counted(answer.tokens_written, sum(map(len, answer.texts)))
            lines += continuations
        return Made(source.row, lines, requests, read, written)

    async def _answer(self, text: str, prompt: str, n: int, seed: int) -> Answer:
        """A usable answer, retried with increasing pauses.

        To the paper's continuation, or to the same prompt as an unfinished sentence.
        """
        config = self.config
        body: dict[str, Any] = {
            "model": config.model,
            "max_tokens": config.max_new_tokens,
            "temperature": config.temperature,
            "top_p": config.top_p,
            "n": n,
            "seed": seed,
        }
        if config.top_k is not None:
            body["top_k"] = config.top_k
        unfinished = joined(text, prompt=prompt)
        if config.api == "completions":
            body |= {"prompt": unfinished, "stop": ["\n"]}
        else:
            roles = {"system": _INSTRUCTION, "user": unfinished}
            body["messages"] = [{"role": role, "content": content} for role, content in roles.items()]
        tries = config.retries + 1
        for number in range(tries):
            try:
                return await self._once(body)
            except PassingFault as passing:
                if number == tries - 1:
                    raise gave_up(without_key(passing.why, self.key), url=self.url, tries=tries) from None
                wait = 2.0**number if passing.wait_seconds is None else passing.wait_seconds
                await self.sleep(min(wait, 60.0))
        raise AssertionError("the last try returns or raises")

    async def _once(self, body: dict[str, Any]) -> Answer:
        ending = "/completions" if self.config.api == "completions" else "/chat/completions"
        address = self.url.copy_with(path=self.url.path.rstrip("/") + ending)
        headers = {"Accept-Encoding": "identity"}  # nothing that grows when it is unpacked
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key}"
        try:
            async with (
                asyncio.timeout(self.config.timeout_seconds),
                self.client.stream("POST", address, json=body, headers=headers) as answer,
            ):
                received = bytearray()
                async for part in answer.aiter_bytes():
                    received += part
                    if len(received) > LIMITS.endpoint_answer_bytes:
                        raise PassingFault(f"its answer is longer than {LIMITS.endpoint_answer_bytes:,} bytes")
        except httpx.ConnectError:
            raise PassingFault("no server answers there") from None
        except (TimeoutError, httpx.TimeoutException):
            raise PassingFault(f"no answer came within {self.config.timeout_seconds:.0f} s") from None
        except httpx.HTTPError:
            raise PassingFault("the connection was closed") from None
        if answer.status_code != 200:
            raise refusal(
                answer.status_code,
                bytes(received),
                url=self.url,
                model=self.config.model,
                retry_after=answer.headers.get("Retry-After"),
                key=self.key,
            )
        return read_answer(bytes(received), self.config.api)

    def _line(self, written: str, prompt: str) -> str:
        """One line of the generated text, without a chat model's thoughts and repeated prompts."""
        if self.config.api == "completions":
            return one_line(written)
        line = one_line(_THOUGHTS.sub("", written).strip())
        if line.casefold().startswith(prompt.casefold()):
            line = line[len(prompt) :].lstrip(" ,:…")
        return line


def _counted(tokens: int | None, characters: int) -> int:
    """The server's token count, otherwise an estimate: four characters a token."""
    return characters // 4 if tokens is None else tokens
