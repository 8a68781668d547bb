"""``find …``: the best encoder for a corpus in the time there is: started, followed, shown, exported, deleted."""

from typing import Annotated

from embedlab.cli.arguments import Command, Option, options
from embedlab.cli.listing import show_one
from embedlab.cli.options import Executor, Following, PrintedBy
from embedlab.cli.reading import CorpusReading, load, output_file, read_judge
from embedlab.cli.running import EXIT_CODES
from embedlab.config import validated
from embedlab.corpora.base import list_corpora
from embedlab.distance import SHOWN_FIRST, Distance
from embedlab.errors import CorpusError, EmbedlabError, RunError
from embedlab.finds.lines import find_lines, nothing_to_choose_by
from embedlab.finds.model import FindSettings
from embedlab.finds.store import Find, create_once, delete_find, list_finds, open_find, results_of
from embedlab.finds.table import csv_of
from embedlab.jobs.campaigns import asked_of, created, job_of, state_of
from embedlab.jobs.executors import executor_of
from embedlab.jobs.requests.working import RunFind
from embedlab.jobs.runner import request_stop, submit, wait
from embedlab.runs.state import State, read_state

FindId = Annotated[str, Option(metavar="ID")]


@options("what judges in place of labels; half of it chooses, half gives the verdict")
class Judging:
    """A file of pairs or queries."""

    judge: Annotated[str | None, Option("pairs people judged, or queries with their relevant texts", "FILE")] = None
    judge_split: Annotated[str | None, Option("rows of --judge (default: dev, else test)", "SPLIT")] = None
    judge_documents: Annotated[str | None, Option("the texts that the queries of --judge search", "FILE")] = None


def run(
    terminal,
    *,
    corpus: str,
    minutes: Annotated[
        float, Option("of work: three quarters search, the rest trains the winner in full, to its end")
    ] = 5.0,
    seed: int = 0,
    judging: Judging,
    on: Executor = None,
    following: Following,
    reading: CorpusReading,
    distance: PrintedBy = SHOWN_FIRST,
) -> tuple[dict, int]:
    """Start a Find and follow it; with ``--detach`` its id, and it goes on by itself."""
    executor_of(on)
    asked = validated(FindSettings, {"corpus": "?", "minutes": minutes, "seed": seed})
    texts = load(corpus, reading.fields, terminal, in_worker=True)
    if judging.judge is None and not texts.info.has_two_classes:
        raise CorpusError(
            "E-FIND-UNJUDGED",
            f"{nothing_to_choose_by(texts.info)} Name a label column (--label COLUMN), or pairs or queries that judge "
            "(--judge FILE).",
        )
    judge = read_judge(judging.judge, judging.judge_split, judging.judge_documents, terminal)
    find = create_once(asked.model_copy(update={"corpus": texts.fingerprint, "judge": judge}))
    return _followed(find, following, on, distance, terminal)


def all_finds(terminal) -> tuple[dict, int]:
    """Those of the store, newest first."""
    return {"finds": [_facts(find) for find in list_finds()]}, 0


def show(terminal, find: FindId, *, distance: PrintedBy = SHOWN_FIRST) -> tuple[dict, int]:
    """Where it stands, its leaderboard, its verdict."""
    return _shown(open_find(find), distance, terminal), 0


def resume(
    terminal, find: FindId, *, on: Executor = None, following: Following, distance: PrintedBy = SHOWN_FIRST
) -> tuple[dict, int]:
    """Go on: what is known is not measured again."""
    executor_of(on)
    return _followed(open_find(find), following, on, distance, terminal)


def stop(terminal, find: FindId) -> tuple[dict, int]:
    """End what is at work; what is known stays."""
    opened = open_find(find)
    job = job_of(opened)
    if job is None or read_state(job).is_over:
        raise RunError("E-RUN-OVER", f"Find {opened.id} is not at work: there is nothing to stop.")
    request_stop(job)
    return {"find": opened.id, "state": str(wait(job).state)}, 0


def export(terminal, find: FindId, *, out: Annotated[str, Option(metavar="FILE.csv")]) -> tuple[dict, int]:
    """The leaderboard as CSV."""
    opened = open_find(find)
    file = output_file(out, ".csv")
    content = csv_of(results_of(opened))
    file.write_bytes(content)
    return {"find": opened.id, "out": str(file), "bytes": len(content)}, 0


def delete(terminal, find: FindId) -> tuple[dict, int]:
    """With its candidates and its winner's run."""
    opened = open_find(find)
    return {"find": opened.id, "deleted": True, "runs": delete_find(opened)}, 0


def _followed(find: Find, following: Following, on: str | None, distance: Distance, terminal) -> tuple[dict, int]:
    job = job_of(find)
    if results_of(find).verdict is not None:
        return _shown(find, distance, terminal), 0
    if job is None or read_state(job).is_over:
        job = submit(RunFind(find=find.id, on=on))
    if following.detach:
        return {"find": find.id, "state": str(State.QUEUED)}, 0
    facts = wait(job, terminal.worker)
    if facts.state is State.FAILED:
        return {"find": find.id, "error": facts.failure.model_dump()}, facts.exit_code
    return _shown(find, distance, terminal), EXIT_CODES[facts.state]


def _shown(find: Find, distance: Distance, terminal) -> dict:
    results = results_of(find)
    facts = {**_facts(find), **results.model_dump(mode="json"), "shown_by": distance, "path": str(find.path)}
    return facts if terminal.as_json else {**facts, "lines": find_lines(results, distance)}


def _facts(find: Find) -> dict:
    try:
        asked, results = asked_of(find), results_of(find)
    except EmbedlabError as error:
        return {"find": find.id, "state": str(State.INTERRUPTED), "error": error.message}
    names = {info.fingerprint: info.name for info in list_corpora()}
    return {
        "find": find.id,
        "state": str(state_of(find).state),
        "created": created(find),
        "corpus": {"fingerprint": asked.corpus, "name": names.get(asked.corpus, asked.corpus)},
        "minutes": asked.minutes,
        "seed": asked.seed,
        "judge": asked.judge,
        "chosen": results.chosen,
    }


def show_finds(result: dict) -> list[str]:
    """A line each."""
    return [
        f"{each['find']}  {each['state']:<11}  {each.get('corpus', {}).get('name', '')}  {each.get('minutes', '')} min"
        for each in result["finds"]
    ]


def show_find(result: dict) -> list[str]:
    """What a Find knows, or where it stands."""
    if "lines" in result:
        return [f"Find {result['find']} is {result['state']}.", *result["lines"]]
    return [f"Find {result['find']} is {result['state']}. See: python -m embedlab find show {result['find']}"]


COMMANDS = {
    "find run": Command(run, show_find),
    "find list": Command(all_finds, show_finds),
    "find show": Command(show, show_find),
    "find resume": Command(resume, show_find),
    "find stop": Command(stop, show_one),
    "find export": Command(export, show_one),
    "find delete": Command(delete, show_one),
}
