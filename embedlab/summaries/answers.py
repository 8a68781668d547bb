"""The answer of an OpenAI-compatible server: its texts and token counts, or why it is unusable."""

import json
from typing import NamedTuple

import httpx

from embedlab.corpora.cleaning import parsed
from embedlab.errors import EmbedlabError, NetworkError, SettingsError
from embedlab.numbers import counted
from embedlab.private import secret_file

KEPT = "All answers so far are kept: start again to continue."


class Answer(NamedTuple):
    """The texts of one answer, and its tokens if the server counted them."""

    texts: list[str]
    tokens_read: int | None
    tokens_written: int | None


class PassingFault(Exception):
    """A fault that may disappear on a retry."""

    def __init__(self, why: str, wait_seconds: float | None = None):
        super().__init__(why)
        self.why, self.wait_seconds = why, wait_seconds


def read_answer(body: bytes, api: str) -> Answer:
    """The choices of an answer; anything else is worth a retry, because proxies garble answers at times."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        page = body.lstrip()[:200].lower().startswith((b"<!doctype", b"<html", b"<head", b"<body"))
        raise PassingFault("it answered with a web page" if page else "its answer is not JSON") from None
    choices = content.get("choices") if isinstance(content, dict) else None
    if not isinstance(choices, list) or not choices:
        reason = _error_message(content)
        raise PassingFault(f"it reported: {reason}" if reason else "its answer has no choices")
    usage = content.get("usage") if isinstance(content.get("usage"), dict) else {}
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    read, written = (count if type(count) is int and 0 <= count < 2**40 else None for count in counts)
    return Answer([_text(choice, api) for choice in choices], read, written)


def refusal(
    status: int, body: bytes, *, url: httpx.URL, model: str, retry_after: str | None, key: str | None
) -> PassingFault | SettingsError:
    """The error for a status other than 200: a ``PassingFault`` if a retry makes sense, otherwise the user's."""
    explanation = without_key(_error_message(parsed(body.decode("utf-8", "replace"))), key)
    if status in (408, 409, 425, 429) or status >= 500:  # the server asks for patience, or has a fault itself
        wait = float(retry_after) if retry_after and retry_after.isdigit() else None
        return PassingFault(f"it answered {status}" + (f" ({explanation})" if explanation else ""), wait)
    if status in (401, 403):
        which = "refuses the key" if key else "requires a key"
        return SettingsError(
            "E-ENDPOINT-KEY",
            f"{url.host} {which} ({status}). Put the key into the environment variable EMBEDLAB_ENDPOINT_KEY, start "
            f"embedlab again, and continue; or into the file {secret_file('EMBEDLAB_ENDPOINT_KEY')} (chmod 600).",
        )
    if 300 <= status < 400:
        return SettingsError(
            "E-ENDPOINT-URL",
            f"{url.host} redirects to another address ({status}), which is not followed. Give that one.",
        )
    reason = explanation or "without an explanation"
    return SettingsError(
        "E-ENDPOINT-REFUSED",
        f"{url.host} refused the request for the model {model[:80]!r} ({status}: {reason}). Check the model's name, "
        f"the address and the settings. {KEPT}",
    )


def gave_up(why: str, *, url: httpx.URL, tries: int) -> EmbedlabError:
    """The sentence after the last retry."""
    after = counted(tries, "try", "tries")
    return NetworkError(
        "E-ENDPOINT", f"{url.host} gave no usable answer after {after}: {why}. Check that it is running. {KEPT}"
    )


def without_key(text: str, key: str | None) -> str:
    """A server's message with the key removed, should it repeat it."""
    return text.replace(key, "…") if key else text


def _text(choice: object, api: str) -> str:
    if not isinstance(choice, dict):
        return ""
    message = choice.get("message")
    text = choice.get("text") if api == "completions" else message.get("content") if isinstance(message, dict) else None
    return text if isinstance(text, str) else ""


def _error_message(content: object) -> str:
    """The message of an error object, in its various formats, on one line."""
    if not isinstance(content, dict):
        return ""
    error = content.get("error", content.get("message", content.get("detail")))
    error = error.get("message") if isinstance(error, dict) else error
    return " ".join(error.split())[:200] if isinstance(error, str) else ""
