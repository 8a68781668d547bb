"""``corpus summarise``: have a worker write summaries of a corpus's texts, and follow it."""

from embedlab.cli.reading import load, reading_of
from embedlab.cli.running import EXIT_CODES, with_setting
from embedlab.cli.say import human_seconds
from embedlab.config import validated
from embedlab.corpora.made_summaries import unfinished
from embedlab.jobs.runner import submit_once, wait
from embedlab.runs.state import State
from embedlab.runs.store import read_job_result


def summarise(asked, terminal) -> tuple[dict, int]:
    """Summaries of a stored corpus, or with ``--estimate`` what they would take; started again it goes on."""
    from embedlab.summaries import SUMMARISERS
    from embedlab.summaries.making import SummariesAsked

    part = SUMMARISERS[asked.by]
    settings = {name: getattr(asked, name) for name in ("model", "url", "api") if getattr(asked, name) is not None}
    for setting in asked.sets:
        settings = with_setting(settings, setting)
    wanted = {
        "summariser": part.key,
        "settings": settings,
        "continuations": asked.continuations,
        "limit": asked.limit,
        "estimate": asked.estimate,
    }
    validated(SummariesAsked, {**wanted, "corpus": "?"}, where="summaries")
    part(validated(part.config_class, settings, where=part.key))  # what is wrong is said before a corpus is read
    corpus = load(asked.corpus, reading_of(asked), terminal)
    folder = submit_once("summarise", {**wanted, "corpus": corpus.fingerprint})
    facts = wait(folder, terminal.worker)
    state, result = facts.state, read_job_result(folder)
    if state is State.FINISHED:
        return result, 0
    if state is State.FAILED:
        return {"run": folder.id, "error": facts.failure.model_dump()}, facts.exit_code
    early = unfinished(corpus.folder)
    done = f"{early.done:,} of {early.texts:,} texts are done" if early is not None else "nothing was done yet"
    message = f"The work was {state}: {done}. Go on with the same command."
    return {"run": folder.id, "error": {"code": f"E-{state.upper()}", "message": message}}, EXIT_CODES[state]


def show_summarise(result: dict) -> list[str]:
    """What was made, or what it would take."""
    if "basis" in result:
        tokens = f"{result['tokens_read']:,} tokens read, {result['tokens_written']:,} written"
        left = f"{result['texts']:,} of {result['asked_texts']:,} texts are left"
        took = f"about {human_seconds(result['seconds'])}, {result['requests']:,} requests, {tokens}"
        return [f"{left}: {took}", *([result["basis"]] if result["basis"] else [])]
    stand_in = ", not the paper's method" if result["extractive"] else ""
    lines = [f"{result['summaries']:,} summaries of {result['texts']:,} texts by {result['model']}{stand_in}"]
    if result["texts"] < result["asked_texts"]:
        lines.append(f"{result['asked_texts'] - result['texts']:,} texts have none: nothing but blanks was written")
    return [*lines, result["path"]]
