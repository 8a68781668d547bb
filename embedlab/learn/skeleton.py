"""A draft lesson: a run's facts and pictures as Markdown, for a teacher to edit."""

import re
from collections.abc import Sequence
from pathlib import Path

from embedlab.learn.facts import facts_of_run
from embedlab.runs.folder import RunFolder

KINDS = {
    "bars": "Before, after, counting words",
    "lines": "kNN accuracy over the steps",
    "replay": "Maps before and after",
    "layers": "Accuracy by layer",
    "pocket": "Train in the browser",
}


def fitting(run: RunFolder) -> list[str]:
    """The pictures that this run has data for."""
    facts = facts_of_run(run)
    is_there = {
        "bars": "knn.after" in facts,
        "lines": run.metrics.is_file() and "knn.after" in facts,
        "replay": all(run.map(side, "tsne").is_file() for side in ("before", "after")),
        "layers": "mean.after" in facts,
        "pocket": True,
    }
    return [kind for kind in KINDS if is_there[kind]]


def skeleton(run: RunFolder, kinds: Sequence[str], *, title: str, name: str = "run") -> str:
    """A Markdown file with one step per picture from ``skeleton.md``, numbers as facts; at least three steps."""
    parts = re.split(r"<!-- (\w+) -->\n", Path(__file__).with_suffix(".md").read_text(encoding="utf-8"))
    written = {key: text.strip() for key, text in zip(parts[1::2], parts[2::2], strict=True)}
    chosen = [*kinds, *("closing", "further")[: max(0, 3 - len(kinds))]]
    steps = [written[kind].replace("NAME", name) for kind in chosen]
    title = " ".join(title.split())
    head = f"---\ntitle: {title}\ngoal: Say what this run shows, and how sure that is.\nminutes: 15\nruns: {name}\n"
    facts = facts_of_run(run)
    rose = "knn.after" in facts and facts["knn.after"].value > facts["knn.before"].value
    claim = f"claim: {name}.knn.after > {name}.knn.before\n" if rose else ""
    return head + claim + "---\n\n" + "\n\n".join(steps[:6]) + "\n"
