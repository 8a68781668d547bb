"""MiniLM's accuracy by dimension before and after 200 steps: as usual, with Matryoshka, with LoRA; and distilled.

    EMBEDLAB_TEST_CORPORA=FOLDER python -m tests.benchmarks.few_dimensions [--only iclr,stsb] [--steps 200]

*iclr*: text crops of ICLR abstracts, kNN accuracy (cosine) of the test texts; *stsb*: CoSENT on the scored pairs of
STS-b's train split, Spearman's correlation on its test split. By the first dimensions of each vector; in brackets the
95 % interval, of stsb's of the change against the untouched encoder. ``static:minilm`` is not trained.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

DIMENSIONS = (16, 32, 64, 128, 256)
WAYS = {
    "200 steps": (),
    "with Matryoshka": ("--set", "matryoshka=384,256,128,64,32,16"),
    "with LoRA": ("--set", "adapter.kind=lora"),
}


def printed(*arguments: object) -> dict:
    """What a command prints as JSON."""
    command = [sys.executable, "-m", "embedlab", *map(str, arguments), "--json", "--quiet"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def row(name: str, cells: list[str]) -> None:
    """A line of the table."""
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def by_texts(file: Path, steps: int) -> None:
    """The rows of ICLR."""
    common = ("--corpus", file, "--text", "text", "--label", "label")
    for name, way in WAYS.items():
        run = printed("train", *common, "--encoder", "minilm", "--recipe", "crops", "--set", f"max_steps={steps}",
                      "--set", "maps=false", "--set", "inside=false", *way)  # fmt: skip
        measured = printed("diagnose", "--run", run["run"], "--only", "accuracy-by-dimension")
        states = measured["diagnostics"]["accuracy-by-dimension"]
        for state in ("before", "after") if name == next(iter(WAYS)) else ("after",):
            parts = states[state]["parts"]
            cells = [f"{100 * each['knn']:.1f} ({100 * each['low']:.1f} … {100 * each['high']:.1f})" for each in parts]
            row("untouched" if state == "before" else name, cells)
    cells = []
    for dimensions in DIMENSIONS:
        cut = printed("evaluate", "--encoder", "static:minilm", *common, "--dimensions", dimensions, "--metrics", "knn")
        cells.append(f"{100 * cut['metrics']['knn']['cosine']:.1f}")
    row("static:minilm", [*cells, "–"])


def by_pairs(file: Path, steps: int) -> None:
    """The rows of STS-b."""
    for name, way in WAYS.items():
        run = printed("train", "--pairs", file, "--judge", file, "--encoder", "minilm", "--recipe", "cosent", "--set",
                      f"max_steps={steps}", *way)  # fmt: skip
        before, after = [], []
        for dimensions in (*DIMENSIONS, None):
            cut = () if dimensions is None else ("--dimensions", dimensions)
            measured = printed("evaluate", "--run", run["run"], "--on", file, "--against", "untouched", *cut)
            value, against = measured["metrics"]["sts"]["value"], measured["against"]["sts"]
            before.append(f"{100 * against['value']:.1f}")
            after.append(f"{100 * value:.1f} ({100 * against['low']:+.1f} … {100 * against['high']:+.1f})")
        if name == next(iter(WAYS)):
            row("untouched", before)
        row(name, after)


def main() -> None:
    """A table each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="iclr,stsb")
    parser.add_argument("--steps", type=int, default=200)
    options = parser.parse_args()
    corpora = Path(os.environ["EMBEDLAB_TEST_CORPORA"])
    with tempfile.TemporaryDirectory() as store:
        os.environ["EMBEDLAB_HOME"] = store
        for key, measure, file in (("iclr", by_texts, "iclr_2017_2021.parquet"), ("stsb", by_pairs, "stsb.parquet")):
            if key in options.only.split(","):
                print(f"\n| {key} | {' | '.join(map(str, (*DIMENSIONS, 'all')))} |\n|{'---|' * (2 + len(DIMENSIONS))}")
                measure(corpora / file, options.steps)


if __name__ == "__main__":
    main()
