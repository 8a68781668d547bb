"""``corpus summarise``: have a worker write summaries of a corpus's texts, and follow it."""

from typing import Annotated

from embedlab.cli.arguments import Command, Option, given, options
from embedlab.cli.options import Sets
from embedlab.cli.reading import CorpusReading, load
from embedlab.cli.running import EXIT_CODES, with_setting
from embedlab.config import validated
from embedlab.corpora.made_summaries import unfinished
from embedlab.jobs.runner import submit_once, wait
from embedlab.numbers import counted, duration
from embedlab.runs.state import State
from embedlab.runs.store import read_job_result


@options()
class Writer:
    """What a summariser is told by options of their own."""

    model: Annotated[str | None, Option("hf:owner/name or a folder; for an endpoint, the model's name there")] = None
    url: Annotated[str | None, Option("the base address of an endpoint, to which the texts are sent")] = None
    api: Annotated[str | None, Option("for an endpoint", "completions|chat")] = None


def summarise(
    terminal,
    corpus: str,
    *,
    by: Annotated[str, Option("what writes them", "local|endpoint|extractive")],
    writer: Writer,
    continuations: Annotated[int, Option("for each of the five prompts (default 3)")] = 3,
    limit: Annotated[int | None, Option("only this many texts, drawn at random", "TEXTS")] = None,
    estimate: Annotated[bool, Option("summarise a few texts and estimate the rest")] = False,
    sets: Sets = (),
    reading: CorpusReading,
) -> tuple[dict, int]:
    """Summaries of a stored corpus, or with ``--estimate`` what they would take; started again it goes on."""
    from embedlab.jobs.requests.corpora import Summarise
    from embedlab.summaries import SUMMARISERS

    part, settings = SUMMARISERS[by], given(writer)
    for setting in sets:
        settings = with_setting(settings, setting)
    values = {"continuations": continuations, "limit": limit, "estimate": estimate}
    values |= {"summariser": part.key, "settings": settings, "corpus": "?"}
    request = validated(Summarise, values, where="summaries")
    part(validated(part.config_class, settings, where=part.key))  # what is wrong is said before a corpus is read
    texts = load(corpus, reading.fields, terminal)
    folder = submit_once(request.model_copy(update={"corpus": texts.fingerprint}))
    facts = wait(folder, terminal.worker)
    state, result = facts.state, read_job_result(folder)
    if state is State.FINISHED:
        return result, 0
    if state is State.FAILED:
        return {"run": folder.id, "error": facts.failure.model_dump()}, facts.exit_code
    early = unfinished(texts.folder)
    done = f"{early.done:,} of {early.texts:,} texts are done" if early is not None else "nothing was done yet"
    message = f"The work was {state}: {done}. Continue with the same command."
    return {"run": folder.id, "error": {"code": f"E-{state.upper()}", "message": message}}, EXIT_CODES[state]


def show_summarise(result: dict) -> list[str]:
    """What was made, or what it would take."""
    if "basis" in result:
        tokens = f"{result['tokens_read']:,} tokens read, {result['tokens_written']:,} written"
        left = f"{result['texts']:,} of {result['asked_texts']:,} texts are left"
        took = f"about {duration(result['seconds'])}, {counted(result['requests'], 'request')}, {tokens}"
        return [f"{left}: {took}", *([result["basis"]] if result["basis"] else [])]
    stand_in = ", not the paper's method" if result["extractive"] else ""
    lines = [
        f"{counted(result['summaries'], 'summary', 'summaries')} of {result['texts']:,} texts by {result['model']}"
        f"{stand_in}"
    ]
    if without := result["asked_texts"] - result["texts"]:
        lines.append(f"{counted(without, 'text has', 'texts have')} none: the model wrote only whitespace")
    return [*lines, result["path"]]


COMMANDS = {"corpus summarise": Command(summarise, show_summarise)}
