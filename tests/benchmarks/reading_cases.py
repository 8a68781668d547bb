"""Files that were read wrongly once: what each command says of them today, beside the value of an independent reader.

``python -m tests.benchmarks.reading_cases [FOLDER]``; the folder holds one folder a kind (default: ../shared/cases).
Kinds that need a folder, links or a giant word are laid out by the script itself.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT.parent / "shared" / "cases"
TRAIN = ["--encoder", "token", "--recipe"]


@dataclass(frozen=True)
class Case:
    """A command, what is read from its JSON, and what is right."""

    kind: str
    command: list[str]
    value: Callable[[dict], object]
    right: object
    first: tuple[str, ...] = ()  # a command before it in the same store

    def said(self, folder: Path) -> object:
        """What the command says, or the code of its error."""
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:  # a worker may still be leaving
            if self.first:
                _run([*self.first], folder, home)
            answer = _run(self.command, folder, home)
        try:
            return self.value(answer)
        except (KeyError, TypeError, IndexError, StopIteration):
            return f"refused: {answer.get('error', {}).get('code')}"


def _run(command: list[str], folder: Path, home: str) -> dict:
    filled = [part.replace("{}", str(folder)) for part in command]
    done = subprocess.run(
        [sys.executable, "-m", "embedlab", *filled, "--json", "--quiet"],
        cwd=ROOT, env={**os.environ, "EMBEDLAB_HOME": home}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return json.loads(done.stdout) if done.stdout.strip() else {"error": {"code": done.stderr.strip()[-80:]}}


def percent(*path: str) -> Callable[[dict], float]:
    """The share at a path, in percent with one digit."""

    def value(answer: dict) -> float:
        for name in path:
            answer = answer[name]
        return round(100 * answer, 1)

    return value


def counts(answer: dict) -> tuple[int, int, int]:
    """Texts, labeled texts and classes of a check-up."""
    return answer["texts"], answer["labelled"], answer["classes"]


def knn(answer: dict) -> float:
    return percent("metrics", "knn", "value")(answer)


def refusal(answer: dict) -> str:
    return answer["error"]["code"]


def check(path: str) -> list[str]:
    return ["corpus", "check", path]


def evaluate(*parts: str) -> list[str]:
    return ["evaluate", *parts]


ON_TFIDF = ["--baseline", "tfidf", "--protocol", "cv10", "--corpus"]
CASES_OF_FILES = [
    Case(
        "own-vectors-id",
        evaluate("--embeddings", "{}/own-vectors-id/shuf_vec.parquet", "--corpus", "{}/own-vectors-id/shuf.csv"),
        knn,
        100.0,
    ),
    Case("json-nan, labels", evaluate(*ON_TFIDF, "{}/json-nan/nan_label.jsonl"), knn, 100.0),
    Case(
        "json-nan, texts", check("{}/json-nan/nan_text.jsonl"), lambda found: (found["texts"], found["empty"]), (45, 15)
    ),
    Case(
        "qrels-long",
        evaluate("--baseline", "bm25", "--on", "{}/qrels-long/q_long.csv", "--documents", "{}/qrels-long/docs.csv"),
        percent("metrics", "retrieval", "value"),
        41.6,
    ),
    Case(
        "sts-tsv-quotes",
        evaluate("--baseline", "tfidf", "--on", "{}/sts-tsv-quotes/sts_quotes.tsv"),
        lambda found: found["metrics"]["sts"]["pairs"],
        80,
    ),
    Case(
        "cjk-baselines",
        ["train", "--corpus", "{}/cjk-baselines/zh_real.csv", *TRAIN, "sentences", "--epochs", "5"],
        lambda found: (percent("references", "tfidf", "value")(found), found["references"]["tfidf"]["counted"]),
        (100.0, "characters"),
    ),
    Case("labels-1-and-1.0", evaluate(*ON_TFIDF, "{}/labels-1-and-1.0/mixnum.csv"), knn, 100.0),
    Case("nli-labels, numbers", ["train", "--pairs", "{}/nli-labels/snli.csv", *TRAIN, "cosine-mse"], refusal, "E-NLI"),
    Case(
        "nli-labels, words",
        ["train", "--pairs", "{}/nli-labels/snli_str.csv", *TRAIN, "ranking"],
        lambda found: found["reading"]["columns"]["label"],
        "label",
    ),
    Case("xlsx-dimension, A1:A61", check("{}/xlsx-dimension/dim_a1a61.xlsx"), counts, (60, 60, 3)),
    Case("xlsx-dimension, none", check("{}/xlsx-dimension/ragged_nodim.xlsx"), counts, (60, 45, 3)),
    Case("xlsx-cells, errors", check("{}/xlsx-cells/errors.xlsx"), counts, (60, 48, 3)),
    Case("xlsx-cells, formulas", check("{}/xlsx-cells/formula.xlsx"), refusal, "E-FORMULA"),
    Case("xlsx-cells, merged", check("{}/xlsx-cells/merged_labels.xlsx"), counts, (60, 60, 3)),
    Case("json-shapes, wrapped", check("{}/json-shapes/wrapped_pretty.json"), counts, (60, 60, 3)),
    Case("json-shapes, by id", check("{}/json-shapes/j_idmap.json"), counts, (60, 60, 3)),
    Case("json-shapes, columns", check("{}/json-shapes/pd_columns.json"), counts, (60, 60, 3)),
    Case(
        "stale-notes",
        check("{}/stale-notes/stale_b.jsonl"),
        lambda found: (found["name"], found["reading"]["left_out"][0]["rows"]),
        ("stale_b", 5),
        first=("corpus", "check", "{}/stale-notes/stale_a.jsonl"),
    ),
    Case("r-row-names", check("{}/r-row-names/r_rownames.csv"), counts, (60, 60, 3)),
    Case("csv-dialects, Spark", check("{}/csv-dialects/spark.csv"), counts, (60, 60, 3)),
    Case("csv-dialects, sep=", check("{}/csv-dialects/sep.csv"), counts, (60, 60, 3)),
    Case("text-column-of-lists", check("{}/text-column-of-lists/p_listtext.parquet"), refusal, "E-COLUMN-TYPE"),
    Case(
        "sentence-ends, Urdu",
        ["train", "--corpus", "{}/sentence-ends/urdu.csv", *TRAIN, "sentences"],
        lambda found: found["usable_texts"],
        60,
    ),
    Case(
        "sentence-ends, wide",
        ["train", "--corpus", "{}/sentence-ends/zh_wide_period.csv", *TRAIN, "sentences"],
        lambda found: found["usable_texts"] > 0,
        True,
    ),
    Case(
        "beir-files",
        evaluate("--baseline", "bm25", "--on", "{}/beir-files/beir"),
        percent("metrics", "retrieval", "value"),
        41.6,
    ),
    Case(
        "self-match",
        evaluate(
            "--baseline", "bm25", "--on", "{}/self-match/arg_q.jsonl", "--documents", "{}/self-match/arg_docs.csv"
        ),
        percent("metrics", "retrieval", "value"),
        29.1,
    ),
    Case(
        "quiet-bad-vectors",
        evaluate("--embeddings", "{}/quiet-bad-vectors/own_zero.npy", "--corpus", "{}/quiet-bad-vectors/own.csv"),
        knn,
        44.4,
    ),
]


def laid_out(folder: Path) -> list[Case]:
    """Kinds without a file: folders, links, class names, one damaged byte, one giant word."""
    for split in ("train", "test"):
        for label in ("pos", "neg"):
            (folder / "imdb" / split / label).mkdir(parents=True)
            for number in range(10):
                (folder / "imdb" / split / label / f"{number}_7.txt").write_text(f"{label} {split} {number}", "utf-8")
    (folder / "imdb" / "train" / "unsup").mkdir()
    (folder / "imdb" / "train" / "unsup" / "0_0.txt").write_text("No label", "utf-8")
    (folder / "links" / "a" / ".ipynb_checkpoints").mkdir(parents=True)
    (folder / "links" / "a" / "1.txt").write_text("One", "utf-8")
    (folder / "links" / "a" / ".ipynb_checkpoints" / "1.txt").write_text("One", "utf-8")
    os.symlink(folder / "imdb", folder / "links" / "b")
    texts, labels = [f"A text of number {number}; größer" for number in range(60)], [n % 3 for n in range(60)]
    features = {"label": {"_type": "ClassLabel", "names": ["world", "sports", "business"]}}
    about = {"huggingface": json.dumps({"info": {"features": features}})}
    pq.write_table(pa.table({"text": texts, "label": labels}).replace_schema_metadata(about), folder / "names.parquet")
    rows = "".join(f"{text},{label}\n" for text, label in zip(texts, labels, strict=True))
    (folder / "byte.csv").write_bytes(f"text,label\n{rows}".encode().replace("ö".encode(), b"\xf6", 1))
    (folder / "giant.csv").write_text(f"text,label\n{'a' * 900_000},0\n{rows}", "utf-8")
    return [
        Case("aclImdb's folders", check("{}/imdb"), counts, (41, 40, 2)),
        Case(
            "links and hidden folders",
            check("{}/links"),
            lambda found: sorted(each["rows"] for each in found["reading"]["left_out"]),
            [1, 1],
        ),
        Case(
            "class names in Parquet",
            check("{}/names.parquet"),
            lambda found: found["class_sizes"][0]["label"],
            "business",
        ),
        Case("one damaged byte", check("{}/byte.csv"), lambda found: found["reading"]["encoding"], "utf-8"),
        Case(
            "a word of 900,000 characters",
            ["train", "--corpus", "{}/giant.csv", *TRAIN, "untouched"],
            lambda found: found["corpus"]["texts"],
            61,
        ),
    ]


def main(folder: Path) -> None:
    """One row a case."""
    print("| kind | today | right | seconds | |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as own:
        for where, cases in ((folder, CASES_OF_FILES), (Path(own), laid_out(Path(own)))):
            for case in cases:
                began = time.perf_counter()
                said = case.said(where)
                mark = "right" if said == case.right else "**wrong**"
                print(
                    f"| {case.kind} | {said} | {case.right} | {time.perf_counter() - began:.1f} | {mark} |", flush=True
                )


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute() if len(sys.argv) > 1 else CASES)
