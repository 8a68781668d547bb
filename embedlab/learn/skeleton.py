"""A lesson to begin with: the facts and pictures of a run as Markdown, for a teacher to edit."""

from collections.abc import Sequence

from embedlab.errors import LessonError
from embedlab.learn.facts import facts_of_run
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import run_title
from embedlab.runs.result import read_result

KINDS = {
    "bars": "Before, after, counting words",
    "lines": "kNN accuracy over the steps",
    "replay": "Maps before and after",
    "layers": "Accuracy by layer",
    "pocket": "Train in the browser",
}


def fitting(run: RunFolder) -> list[str]:
    """The pictures that this run has something for."""
    facts = facts_of_run(run)
    is_there = {
        "bars": "knn.after" in facts,
        "lines": run.metrics.is_file() and "knn.after" in facts,
        "replay": all(run.map(side, "tsne").is_file() for side in ("before", "after")),
        "layers": "mean.after" in facts,
        "pocket": True,
    }
    return [kind for kind in KINDS if is_there[kind]]


def skeleton(run: RunFolder, kinds: Sequence[str], *, name: str = "run") -> str:
    """A Markdown file with a step a picture, its numbers as facts; three steps at least.

    Raises
    ------
    LessonError
        the run has no result, or nothing was chosen.
    """
    result = read_result(run)
    if result is None or not kinds:
        said = "A lesson needs a finished run" if result is None else "A lesson needs at least one picture"
        raise LessonError("E-LESSON-MAKE", f"{said}. Choose one.")
    steps = [_STEPS[kind].replace("NAME", name) for kind in kinds]
    while len(steps) < 3:
        steps.append(_CLOSING[len(steps) - 1])
    title = " ".join(run_title(run).split())
    head = f"---\ntitle: {title}\ngoal: Say what this run shows, and how sure that is.\nminutes: 15\nruns: {name}\n"
    claim = f"claim: {name}.knn.after > {name}.knn.before\n" if "knn.after" in facts_of_run(run) else ""
    return head + claim + "---\n\n" + "\n\n".join(steps[:6]) + "\n"


_STEPS = {
    "bars": """## Better than before?

The encoder was trained on {NAME.texts} texts without labels. Before training, {NAME.knn.before} of the test texts got
their label from their ten nearest neighbors.

**And after training, of 100?**

```number
low: 0
high: 100
truth: NAME.knn.after
close: 5
```

```bars
run: NAME
values: knn.before, knn.after, tfidf
when: after
```

> {NAME.knn.after}. Counting words gets {NAME.tfidf}. Say here why, and which page of embedlab shows it.""",
    "lines": """## While it trained

kNN accuracy was measured while the encoder trained, over {NAME.steps} steps.

**When did most of the gain come?**

- [x] In the first half
- [ ] In the second half

```lines
run: NAME
what: knn
when: after
```

> Look at the picture and say here what it shows. Page Train.""",
    "replay": """## Two maps

The same texts before and after training, drawn by t-SNE. Move the bar.

**What may you say of the map after training?**

- [x] Which texts lie together
- [ ] Which groups are far from each other

```replay
run: NAME
show: maps
```

> Neighborhoods are what t-SNE draws; distances between groups come from the method. Page Maps.""",
    "layers": """## Which layer?

The mean over the tokens can be read after every layer.

**Where did training change most?**

- [x] Look at the picture and mark the right answer
- [ ] In another layer

```lines
run: NAME
what: layers
series: mean before, mean after
when: after
```

> Say here what the picture shows. Page Layers.""",
    "pocket": """## Train it yourself

A small encoder on 1,200 texts: before training {pocket.before} of 100 test texts get their topic.

**And after?**

```number
low: 0
high: 100
truth: pocket.after
close: 6
```

```pocket
when: after
train: at once
```

> About {pocket.after}; counting words gets {pocket.counting}. Two sentences of one text were pulled together.""",
}
_CLOSING = ("## What it does not show\n\nSay here what one run cannot tell.", "## Read on\n\nName a paper or a page.")
