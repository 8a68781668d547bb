"""One text's prompts asked of an endpoint, again where the answer cannot be used, until each has its continuations."""

import asyncio
import re
from collections.abc import Awaitable, Callable

import httpx

from embedlab.limits import LIMITS
from embedlab.summaries.answers import Answer, Passing, gave_up, read_answer, refusal, without_key
from embedlab.summaries.base import Made, SourceText, one_line, seed_of
from embedlab.summaries.prompts import PROMPTS, joined

_INSTRUCTION = (
    "You complete texts. The user sends a text whose last sentence is unfinished. Answer with the rest of that "
    "sentence only: do not repeat its beginning, do not comment, write one line."
)
_THOUGHTS = re.compile(r"^.*?</think>", re.DOTALL)  # what a reasoning model writes before it answers
_LONGEST_WAIT = 60.0
_CHARACTERS_A_TOKEN = 4  # where a server counts none


class Asker:
    """Asks with one client; a text's requests go one after the other, so that a server can reuse what it read."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        url: httpx.URL,
        config,
        n: int,
        *,
        sleep: Callable[[float], Awaitable],
        key: str | None,
    ):
        self.client, self.url, self.config, self.n = client, url, config, n
        self.sleep, self.key = sleep, key
        ending = "/completions" if config.api == "completions" else "/chat/completions"
        self.address = url.copy_with(path=url.path.rstrip("/") + ending)

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
                body = self._body(text, prompt, self.n - len(continuations), seed)
                answer = await self._answer(body)
                new = [line for line in (self._line(each, prompt) for each in answer.texts) if line]
                continuations += new[: self.n - len(continuations)]
                empty += not new
                tries += 1
                requests += 1
                read += _counted(answer.tokens_read, len(text) + len(prompt))
                written += _counted(answer.tokens_written, sum(map(len, answer.texts)))
            lines += continuations
        return Made(source.row, lines, requests, read, written)

    async def _answer(self, body: dict) -> Answer:
        """A usable answer, tried for with longer and longer pauses."""
        tries = self.config.retries + 1
        for number in range(tries):
            try:
                return await self._once(body)
            except Passing as passing:
                if number == tries - 1:
                    raise gave_up(without_key(passing.why, self.key), url=self.url, tries=tries) from None
                wait = 2.0**number if passing.wait_seconds is None else passing.wait_seconds
                await self.sleep(min(wait, _LONGEST_WAIT))
        raise AssertionError("the last try returns or raises")

    async def _once(self, body: dict) -> Answer:
        headers = {"Accept-Encoding": "identity"}  # nothing that grows when it is unpacked
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key}"
        try:
            async with (
                asyncio.timeout(self.config.timeout_seconds),
                self.client.stream("POST", self.address, json=body, headers=headers) as answer,
            ):
                received = bytearray()
                async for part in answer.aiter_bytes():
                    received += part
                    if len(received) > LIMITS.endpoint_answer_bytes:
                        raise Passing(f"its answer is longer than {LIMITS.endpoint_answer_bytes:,} bytes")
        except TimeoutError:
            raise Passing(f"no answer came within {self.config.timeout_seconds:.0f} s") from None
        except httpx.ConnectError:
            raise Passing("no server answers there") from None
        except httpx.TimeoutException:
            raise Passing(f"no answer came within {self.config.timeout_seconds:.0f} s") from None
        except httpx.HTTPError:
            raise Passing("the connection was closed") from None
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

    def _body(self, text: str, prompt: str, n: int, seed: int) -> dict:
        """What is sent: the paper's continuation, or the same prompt as an unfinished sentence."""
        config = self.config
        body = {
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
            return body | {"prompt": unfinished, "stop": ["\n"]}
        messages = [{"role": "system", "content": _INSTRUCTION}, {"role": "user", "content": unfinished}]
        return body | {"messages": messages}

    def _line(self, written: str, prompt: str) -> str:
        """One line of what was written; a chat model's thoughts, and the prompt that it repeats, are left out."""
        if self.config.api == "completions":
            return one_line(written)
        line = one_line(_THOUGHTS.sub("", written).strip())
        if line.casefold().startswith(prompt.casefold()):
            line = line[len(prompt) :].lstrip(" ,:…")
        return line


def _counted(tokens: int | None, characters: int) -> int:
    """What the server counted, else about what it would have."""
    return characters // _CHARACTERS_A_TOKEN if tokens is None else tokens
