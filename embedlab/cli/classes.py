"""``classes``: every class of a run before and after, what is taken for what, gained, lost and suspicious texts."""

from typing import Annotated

from embedlab.cli.arguments import Command, Option
from embedlab.cli.options import RunId
from embedlab.distance import COSINE, DISTANCES, SHOWN_FIRST, Distance
from embedlab.errors import CorpusError
from embedlab.jobs.requests.measuring import PredictFolds
from embedlab.jobs.runner import submit_once, wait
from embedlab.numbers import counted
from embedlab.report.contract import printed_classes
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import NO_SUSPICIOUS_LABELS, TEST_TEXTS_ONLY, saw_labels
from embedlab.runs.predictions import Folds, folds_of
from embedlab.runs.state import State
from embedlab.runs.store import open_run


def classes(
    terminal,
    run: RunId,
    *,
    distance: Annotated[
        Distance, Option("which kNN accuracy to print (default: cosine); --json always has both")
    ] = SHOWN_FIRST,
) -> tuple[dict, int]:
    """By ten folds over all labelled texts; a run that has no folds yet gets them first. Rows count from 0.

    By Euclidean distance, and under ``cosine`` the same by cosine. ``printed_by``: the one that is printed. Of a
    run that was trained by labels the test texts alone, and ``suspicious`` is null.
    """
    folder = open_run(run)
    folds = folds_of(folder) or _predicted(folder, terminal)
    result = {
        "run": folder.id,
        "texts": len(folds.rows),
        "of_test_texts": folds.of_test_texts,
        **printed_classes(folds),
        COSINE: printed_classes(folds_of(folder, COSINE)),
        "printed_by": distance,
    }
    return result, 0


def show_classes(result: dict) -> list[str]:
    """A line a class, the most frequent mistakes, and how many texts were gained, lost and are suspicious."""
    over = "test texts" if result["of_test_texts"] else "labelled texts over ten folds"
    printed_by = result["printed_by"]
    table = result[COSINE] if printed_by == COSINE else result
    by = f"kNN accuracy ({DISTANCES[printed_by]})"
    lines = [f"{result['texts']:,} {over}, {by} before → after, change (95 %)"]
    lines += [TEST_TEXTS_ONLY] if result["of_test_texts"] else []
    for each in table["classes"]:
        shares = f"{100 * each['before']:5.1f} → {100 * each['after']:5.1f} %"
        bounds = f"{100 * each['low']:.1f} … {100 * each['high']:.1f}"
        lines.append(f"{each['label']:<32} {each['texts']:>6,}  {shares}  {100 * each['difference']:+.1f} ({bounds})")
    lines.append("mistaken for another class, before → after")
    lines += [f"  {m['label']} for {m['taken_for']}: {m['before']:,} → {m['after']:,}" for m in table["mistakes"]]
    gained, lost = (len(table[name]) for name in ("gained", "lost"))
    if table["suspicious"] is None:
        return [*lines, f"{counted(gained, 'text')} gained, {lost:,} lost (rows: --json)", NO_SUSPICIOUS_LABELS]
    doubted = len(table["suspicious"])
    return [
        *lines,
        f"{counted(gained, 'text')} gained, {lost:,} lost, {doubted:,} with a suspicious label (rows: --json)",
    ]


def _predicted(run: RunFolder, terminal) -> Folds:
    from embedlab.tasks.fetch import error_of

    if saw_labels(run):
        raise CorpusError("E-NO-FOLDS", f"{TEST_TEXTS_ONLY} Run {run.id} has no stored predictions of them.")
    facts = wait(submit_once(PredictFolds(run=run.id)), terminal.worker)
    if facts.state is not State.FINISHED:
        raise error_of(facts)
    folds = folds_of(run)
    if folds is None:
        raise CorpusError("E-NO-FOLDS", f"Run {run.id} has too many labelled texts, or none, for ten folds.")
    return folds


COMMANDS = {"classes": Command(classes, show_classes, runs=("run",))}
