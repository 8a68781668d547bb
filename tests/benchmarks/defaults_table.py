"""What is proposed against counting words: whole runs of the product, ten folds over all labeled texts, by corpus.

python -m tests.benchmarks.defaults_table                                   # posts, docs, iclr, arxiv; seeds 0, 1, 2
python -m tests.benchmarks.defaults_table --corpora posts --seeds 0 --rows "words,token, 6 epochs"

A row is a run as the command line starts it, without maps: kNN accuracy of the untouched and of the opened encoder by
cosine and Euclidean distance, the change to TF-IDF with its interval (95 %, by cosine; several seeds averaged, the
widest interval shown), steps, and seconds of training and in all. ``posts``, ``iclr`` and ``arxiv`` (8,000 rows drawn
by seed 0) are read from EMBEDLAB_TEST_CORPORA; runs go to EMBEDLAB_HOME.
"""

import argparse

import numpy as np

from embedlab.jobs.runner import submit, wait
from embedlab.runs.result import RunResult, read_result
from embedlab.runs.state import State
from embedlab.training.settings import RunSettings, completed
from tests.benchmarks.on_development import corpus_named

ROWS = {
    "words, untouched": {"encoder": "words", "recipe": "untouched"},
    "words": {"encoder": "words", "recipe": "sentences"},
    "words, log-count": {"encoder": "words", "recipe": "sentences", "pooling": "log-count"},
    "words, mean": {"encoder": "words", "recipe": "sentences", "pooling": "mean"},
    "token": {"encoder": "token", "recipe": "sentences"},
    "token, 6 epochs": {"encoder": "token", "recipe": "sentences", "epochs": 6},
    "mini": {"encoder": "mini", "recipe": "crops"},
    "minilm, untouched": {"encoder": "minilm", "recipe": "untouched"},
}
SEEN = {"mini": ("iclr", "arxiv")}  # corpora whose kind of text a row's encoder read in pretraining, without labels
_SEEDLESS = ("minilm, untouched",)
_ARXIV_ROWS = 8_000


def run_of(corpus: str, asked: dict, seed: int) -> RunResult:
    """One finished run."""
    folder = submit(
        RunSettings(
            **completed({**asked, "corpus": corpus, "seed": seed, "maps": False, "inside": False, "live_map": False})
        )
    )
    state = wait(folder, lambda *_: None)
    if state.state is not State.FINISHED:
        raise SystemExit(f"{asked} on {corpus} is {state.state}: {state.failure}")
    return read_result(folder)


def row_of(title: str, runs: list[RunResult]) -> str:
    """A line of a Markdown table."""
    folds = [run.folds for run in runs]
    against = [each.judged.cosine.against["tfidf"] for each in folds]
    mean = {name: 100 * np.mean([getattr(each, name) for each in against]) for name in ("difference", "low", "high")}
    widest = 100 * max(each.high - each.low for each in against) / 2
    cells = [
        title,
        f"{100 * np.mean([each.before.cosine.value for each in folds]):.1f}",
        f"**{100 * np.mean([each.after.cosine.value for each in folds]):.1f}**",
        f"{100 * np.mean([each.after.euclidean.value for each in folds]):.1f}",
        f"{mean['difference']:+.1f} ± {widest:.1f}",
        f"{np.mean([run.steps for run in runs]):.0f}",
        f"{np.mean([run.training_seconds for run in runs]):.0f}",
        f"{np.mean([run.seconds for run in runs]):.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """A table for each corpus."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpora", default="posts,docs,iclr,arxiv")
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--rows", default=";".join(ROWS), help="separated by ;")
    asked = parser.parse_args()
    for name in asked.corpora.split(","):
        corpus, is_told = corpus_named(name, arxiv_rows=_ARXIV_ROWS).fingerprint, False
        for title in asked.rows.split(";"):
            seeds = (0,) if title in _SEEDLESS else [int(each) for each in asked.seeds.split(",")]
            runs = [run_of(corpus, ROWS[title], seed) for seed in seeds]
            if not is_told:
                counted = {key: runs[0].folds.after.cosine.value - each.difference for key, each in against_of(runs[0])}
                lines = ", ".join(f"{key} {100 * value:.1f}" for key, value in counted.items())
                print(f"\n**{name}**, {runs[0].folds.after.cosine.n:,} labeled texts, ten folds: {lines}\n")
                print(
                    "| | before | cosine | Euclidean | to TF-IDF | steps | training, s | in all, s |\n"
                    + "|---" * 8
                    + "|"
                )
                is_told = True
            remark = ", texts like these seen in pretraining, without labels" if name in SEEN.get(title, ()) else ""
            print(row_of(title + remark, runs), flush=True)


def against_of(run: RunResult):
    """The changes to the reference lines, by cosine."""
    return run.folds.judged.cosine.against.items()


if __name__ == "__main__":
    main()
