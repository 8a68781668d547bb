"""First paint of Home against an empty Streamlit app, what moves after it on an empty store, and memory with ``docs``.

python -m tests.benchmarks.first_paint
"""

import re
import statistics
import tempfile
import time
from pathlib import Path

import psutil

from tests.benchmarks.browser import ROOT, page_of, served, until_idle

ROUNDS = 5


def paint(page, url: str, text: str) -> float:
    """Seconds from going to the address until the text is on screen."""
    began = time.perf_counter()
    page.goto(url)
    page.get_by_text(text, exact=False).first.wait_for()
    return time.perf_counter() - began


def first_paint(script: Path, text: str, home: Path) -> float:
    """From the start of the process to the first text on screen."""
    with page_of() as page, served(script, home=home) as (url, _, seconds):
        return seconds + paint(page, url, text)


def moving_example(home: Path) -> tuple[float, float, float]:
    """On an empty store: the pocket encoder's first step after the first paint; from the start of the process, the
    example's verdict and its map in motion."""
    with page_of() as page, served(ROOT / "app.py", home=home) as (url, _, seconds):
        began = time.perf_counter()
        painted = paint(page, url, "embedlab")
        page.locator(".at-work .now").get_by_text(re.compile(r"Step [1-9]")).first.wait_for()
        pocket = time.perf_counter() - began - painted
        page.get_by_text("predict the right label").first.wait_for()
        verdict = seconds + time.perf_counter() - began
        page.locator(".playing").first.wait_for()
        moving = seconds + time.perf_counter() - began
    for process in psutil.process_iter(["cmdline"]):  # the texts are gathered meanwhile; not into the next round
        if str(home) in " ".join(process.info["cmdline"] or []):
            process.kill()
    return pocket, verdict, moving


def main() -> None:
    """Print the times, their ratio and the memory."""
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.py"
        empty.write_text('import streamlit as st\nst.title("Nothing here")\n', encoding="utf-8")
        home = Path(folder) / "store"
        with page_of() as page, served(ROOT / "app.py", home=home) as (url, _, _):
            paint(page, url, "embedlab")  # warms the file cache for both
        times = {"empty": [], "home": []}
        for _ in range(ROUNDS):
            times["empty"].append(first_paint(empty, "Nothing here", home))
            times["home"].append(first_paint(ROOT / "app.py", "embedlab", home))
        example = [moving_example(Path(folder) / f"store-{turn}") for turn in range(ROUNDS)]
        middle = {name: statistics.median(values) for name, values in times.items()}
        print(f"first paint, process start to text, median of {ROUNDS}")
        print(f"  empty Streamlit app {middle['empty']:.2f} s")
        print(f"  Home                {middle['home']:.2f} s")
        print(f"  ratio               {middle['home'] / middle['empty']:.2f}  (goal: at most 2)")
        pocket, verdict, moving = (statistics.median(values) for values in zip(*example, strict=True))
        print(f"  empty store: first step of the pocket {pocket:.2f} s after the first paint  (goal: at most 2 s)")
        print(f"  the example's verdict {verdict:.2f} s, its map moves {moving:.2f} s,")
        print(f"  {moving - middle['empty']:.2f} s after an empty app's first paint  (goal: at most 2.5 s)")
        memory_with_docs(home)


def memory_with_docs(home: Path) -> None:
    """Resident memory of the app's process after Data has shown ``docs``."""
    import os

    os.environ["EMBEDLAB_HOME"] = str(home)
    from embedlab.corpora import load_corpus

    corpus = load_corpus("docs")
    with page_of() as page, served(ROOT / "app.py", home=home) as (url, process, _):
        page.goto(f"{url}/data?corpus={corpus.info.fingerprint}")
        page.get_by_text("10,", exact=False).first.wait_for()
        until_idle(page)
        for place in ("train", "data"):
            page.goto(f"{url}/{place}?corpus={corpus.info.fingerprint}")
            until_idle(page)
        resident = psutil.Process(process.pid).memory_info().rss / 2**20
    print(f"app process with docs loaded: {resident:.0f} MB  (goal: under 250)")


if __name__ == "__main__":
    main()
