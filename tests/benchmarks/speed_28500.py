"""28,500 texts: one epoch of ``token`` without evaluations, and the time until two maps of them are on screen.

EMBEDLAB_TEST_CORPORA=FOLDER python -m tests.benchmarks.speed_28500
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from tests.benchmarks.browser import ROOT, page_of, served, until_idle
from tests.training_options import RESULT_ALONE


def command(*arguments: str) -> dict:
    """One embedlab command, its JSON."""
    done = subprocess.run([sys.executable, "-m", "embedlab", *arguments, "--json"], cwd=ROOT, stdout=subprocess.PIPE)
    assert done.returncode == 0, done.stdout
    return json.loads(done.stdout)


def main() -> None:
    """Print both figures."""
    corpora = Path(os.environ["EMBEDLAB_TEST_CORPORA"])
    with tempfile.TemporaryDirectory() as home:
        os.environ["EMBEDLAB_HOME"] = home
        options = ["--encoder", "token", "--epochs", "1", *RESULT_ALONE]
        result = command("train", "--corpus", str(corpora / "arxiv_balanced.parquet"), *options)
        seconds = result["training_seconds"]
        print(f"token on {result['corpus']['texts']:,} texts, one epoch: {seconds:.1f} s  (goal: under 30)")
        print(f"  {result['steps']} steps on {result['usable_texts']:,} usable texts, {result['seconds']:.0f} s in all")
        knn = result["knn"]
        print(f"  kNN accuracy {100 * knn['before']:.1f} % -> {100 * knn['after']:.1f} %")
        maps_ready(result["run"], texts=28_500)
        on_screen(Path(home), result["run"])


def maps_ready(run: str, *, texts: int) -> None:
    """Put two maps of random places into a run: where points lie does not matter for how fast they are drawn."""
    from embedlab.runs.drawn_map import write_map
    from embedlab.runs.store import open_run
    from embedlab.store_root import write_json

    rng, folder = np.random.default_rng(0), open_run(run)
    for name in ("before", "after"):
        write_map(folder.map(name, "tsne"), np.arange(texts), rng.normal(size=(texts, 2)))
        facts = {"method": "tsne", "seed": 42, "texts": texts, "seconds": 0.0, "perplexity": 30.0, "iterations": 750}
        write_json(folder.map_facts(name, "tsne"), facts)


def on_screen(home: Path, run: str) -> None:
    """Seconds from the click on the tab Map until both maps show their class names; the maps lie ready."""
    with page_of() as page, served(ROOT / "app.py", home=home) as (url, _, _):
        page.goto(f"{url}/?run={run}")
        page.get_by_role("link", name="Run", exact=True).wait_for()
        times = []
        for _ in range(3):
            page.goto(f"{url}/layers?run={run}")
            page.get_by_role("tab", name="Map", exact=True).wait_for()
            until_idle(page)
            page.wait_for_timeout(4000)  # somebody looks at Layers before the click
            began = time.perf_counter()
            page.get_by_role("tab", name="Map", exact=True).click()
            page.locator(".map .names span").nth(0).wait_for(state="attached")
            times.append(time.perf_counter() - began)
        print(f"two maps of 28,500 texts on screen: {', '.join(f'{t:.1f}' for t in times)} s  (goal: under 2)")


if __name__ == "__main__":
    main()
