"""Whether numbers repeat: the demo, every recipe and every baseline in fresh stores, with one thread and with two.

python -m tests.benchmarks.repeats [--stores 5] [--demos 3] [--threads 1,2] [--only NAME,NAME]

Each store is filled by a process of its own with a hash seed of its own. The ``--json`` of every command is compared
without times, ids and paths. One table; the exit code is 1 where two stores with the same number of threads differ.
Runs are measured every step: without ``evaluate_every`` live points come by the clock, so other steps are candidates.
"""

import argparse
import contextlib
import io
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ROOM = {"batch_size": 16, "vocabulary_size": 300, "max_length": 48, "training_length": 16, "max_steps": 3}
ROOM |= {"evaluate_every": 1, "live_texts": 0, "maps": "false", "embedding_precision": "fp32"}
BY_THE_CLOCK = ("seconds", "texts_per_second", "started", "ended", "at", "eta", "took", "memory", "bytes")
OF_A_STORE = ("id", "run", "job", "paths", "path", "folder", "out", "log", "threads", "command", "device", "created")
SIMILAR = 40


def main() -> int:
    """Fill the stores one after another and compare them."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--stores", type=int, default=5)
    asked.add_argument("--demos", type=int, default=3)
    asked.add_argument("--threads", default="1,2")
    asked.add_argument("--only", default="")
    asked.add_argument("--inside", default="")
    asked = asked.parse_args()
    if asked.inside:
        return fill(Path(asked.inside), with_demo=asked.demos > 0, only=set(filter(None, asked.only.split(","))))
    by_threads: dict[int, list[dict]] = {}
    for threads in map(int, asked.threads.split(",")):
        for number in range(asked.stores):
            results = in_fresh_store(threads, with_demo=number < asked.demos, only=asked.only)
            by_threads.setdefault(threads, []).append(results)
            print(f"{threads} thread(s), store {number + 1}: {len(results)} results", file=sys.stderr, flush=True)
    return table(by_threads)


def in_fresh_store(threads: int, *, with_demo: bool, only: str) -> dict:
    """What each command printed in a new process and an empty store."""
    with tempfile.TemporaryDirectory() as folder:
        out, warm = Path(folder) / "results.json", Path(folder) / f"{os.getpid()}.socket"
        workers = shlex.join([sys.executable, "-S", "-E", str(TESTS / "warm_worker.py")])
        environment = os.environ | {
            "EMBEDLAB_HOME": f"{folder}/store", "EMBEDLAB_WORKER": workers, "EMBEDLAB_WARM": str(warm),
            "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads), "PYTHONHASHSEED": "random",
        }  # fmt: skip
        command = [sys.executable, "-m", "tests.benchmarks.repeats", "--inside", str(out), "--only", only]
        subprocess.run([*command, "--demos", str(int(with_demo))], env=environment, cwd=TESTS.parent, check=True)
        return json.loads(out.read_text(encoding="utf-8"))


def fill(out: Path, *, with_demo: bool, only: set[str]) -> int:
    """Run everything in this process's store and write what it printed."""
    sys.path[:0] = [str(TESTS)]
    results = {}
    for name, arguments in commands(with_demo):
        if not only or only & {name, name.split()[0]}:
            results[name] = printed(*arguments)
    out.write_text(json.dumps(results), encoding="utf-8")
    return 0


def commands(with_demo: bool) -> Iterator[tuple[str, list[str]]]:
    """The name of each result and its command."""
    from toy_corpora import store_summarised, toy_pairs

    from embedlab.baseline_methods import BASELINE_METHODS
    from embedlab.corpora.base import Draft, store_corpus
    from embedlab.training.recipes import RECIPES

    toy, pairs = store_summarised().fingerprint, toy_pairs().fingerprint
    texts, labels = similar_texts()
    similar = store_corpus(Draft(name="similar", source="similar", texts=texts, labels=labels)).fingerprint
    for part in BASELINE_METHODS:
        if not part.needs_words and part.gives_vectors:
            for name, corpus in (("toy", toy), ("similar", similar)):
                given = ["--baseline", part.key, "--corpus", corpus, "--protocol", "cv10"]
                yield f"baseline {part.key}, {name}", ["evaluate", *given, "--metrics", "knn,neighbors-5,retrieval"]
    for recipe in RECIPES:
        given = {**ROOM, "corpus": toy}
        if "pairs" in recipe.needs:
            given["pairs"] = pairs
        has_layers = recipe.needs & {"dropout", "context", "decoder", "mlm_head"} or recipe.key.startswith(
            "contrastive"
        )
        encoder = "scratch:bert-tiny" if has_layers else "words"
        settings = [each for setting, value in given.items() for each in ("--set", f"{setting}={value}")]
        yield f"recipe {recipe.key}", ["train", "--encoder", encoder, "--recipe", recipe.key, *settings]
    if with_demo:
        yield "demo", ["demo"]


def similar_texts() -> tuple[list[str], list[str]]:
    """Texts that differ by one or two words of a few, in two classes: ties everywhere, and a low rank."""
    pattern = "This note is about the {} door and the letter {} on it"
    texts = [pattern.format("red" if i % 4 < 2 else "blue", chr(97 + i % 26) * (1 + i // 26)) for i in range(SIMILAR)]
    return texts, ["one" if i % 2 else "two" for i in range(SIMILAR)]


def printed(*arguments: str) -> object:
    """What the command prints with ``--json``, or how it ended."""
    from embedlab.cli import main

    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        code = main([*arguments, "--json", "--quiet"])
    try:
        return without_times(json.loads(out.getvalue()))
    except ValueError:
        return f"exit code {code}: {out.getvalue()[-300:]}"


def without_times(value: object) -> object:
    """The same without what differs by the clock or the place."""
    if isinstance(value, list):
        return [without_times(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {key: without_times(each) for key, each in value.items() if key not in OF_A_STORE and not is_timed(key)}


def is_timed(key: str) -> bool:
    """Whether a key's value is a time or a size that changes from run to run."""
    return any(key == name or key.endswith(f"_{name}") or key.startswith(f"{name}_") for name in BY_THE_CLOCK)


def table(by_threads: dict[int, list[dict]]) -> int:
    """Print a row a result; 1 if anything differs between stores with the same number of threads."""
    names = list(dict.fromkeys(name for stores in by_threads.values() for store in stores for name in store))
    print(
        "| result | " + " | ".join(f"{threads} thread(s)" for threads in by_threads) + " | largest gap between these |"
    )
    print("|---|" + "---|" * (len(by_threads) + 1))
    code = 0
    for name in names:
        cells, firsts = [], []
        for stores in by_threads.values():
            results = [store[name] for store in stores if name in store]
            gaps = [gap for other in results[1:] for gap in differences(results[0], other)]
            code |= bool(gaps)
            if results and isinstance(results[0], str):
                cells.append(results[0][:200])
            else:
                shown = sorted(gaps, key=lambda gap: -gap[1])[:3]
                cells.append("; ".join(f"{key} by {by:.2g}" for key, by in shown) or f"same in {len(results)}")
            firsts.extend(results[:1])
        gaps = [gap for other in firsts[1:] for gap in differences(firsts[0], other)]
        worst = max(gaps, key=lambda gap: gap[1], default=None)
        print(f"| {name} | {' | '.join(cells)} | {'none' if worst is None else f'{worst[0]} by {worst[1]:.2g}'} |")
    return code


def differences(one: object, other: object, key: str = "") -> list[tuple[str, float]]:
    """Each key at which two results differ, and by how much; infinity where they are not both numbers."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = dict.fromkeys([*one, *other])
        return [
            gap for name in keys for gap in differences(one.get(name), other.get(name), f"{key}.{name}".lstrip("."))
        ]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [gap for place, pair in pairs for gap in differences(*pair, f"{key}.{place}")]
    if one == other:
        return []
    are_numbers = all(isinstance(each, int | float) for each in (one, other))
    return [(key, abs(one - other) if are_numbers else float("inf"))]


if __name__ == "__main__":
    sys.exit(main())
