"""Whether a page ever blocks: every kind of click on every page, on ``docs`` and on 28,500 texts.

EMBEDLAB_TEST_CORPORA=FOLDER python tests/benchmarks/interactions.py

For each interaction two figures: seconds from the input until the page has answered (its script has ended and it takes
the next input), and the longest stretch in which the browser itself stood still. Each run is opened in a fresh app on
Home, which is looked at for three seconds; so the first round is the first visit of every page, the second round what
everybody meets afterwards.
"""

import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from browser import ROOT, page_of, served, until_idle
from speed_28500 import command, maps_ready

GOAL = 1.0
PAGES = ("Corpus", "Train", "Evaluate", "Maps", "Layers", "Length", "Compare", "Studies", "Neighbors", "Home")
WATCH = """
window.stood = 0;
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) window.stood = Math.max(window.stood, entry.duration / 1000);
}).observe({ entryTypes: ["longtask"] });
"""


def main() -> None:
    """Print each interaction of both rounds on both corpora."""
    corpora = Path(os.environ["EMBEDLAB_TEST_CORPORA"])
    with tempfile.TemporaryDirectory() as home:
        os.environ["EMBEDLAB_HOME"] = home
        demo = command("demo")["run"]
        settings = ["--set", "live_texts=0", "--set", "maps=false"]
        large = command("train", "--corpus", str(corpora / "arxiv_balanced.parquet"), "--encoder", "token", *settings)
        maps_ready(large["run"], texts=28_500)
        slowest = [over_all(Path(home), demo, "docs", "array"), over_all(Path(home), large["run"], "arXiv", "quantum")]
        print(f"slowest answer {max(slowest):.2f} s  (goal: under {GOAL:g})")


def over_all(home: Path, run: str, name: str, word: str) -> float:
    """Print every interaction of two rounds in a fresh app; the slowest answer."""
    slowest = 0.0
    with page_of() as page, served(ROOT / "app.py", home=home) as (url, _, _):
        page.add_init_script(WATCH)
        page.goto(f"{url}/?run={run}")
        page.get_by_role("link", name="Maps", exact=True).wait_for()
        until_idle(page)
        page.wait_for_timeout(3000)
        for turn in ("first", "second"):
            print(f"{name}, {turn} round")
            for what, act in interactions(page, word):
                page.evaluate("window.stood = 0")
                began = time.perf_counter()
                act()
                until_idle(page)
                seconds = time.perf_counter() - began
                stood = page.evaluate("window.stood")
                slowest = max(slowest, seconds)
                print(f"  {what:34} {seconds:5.2f} s   browser at most {stood:4.2f} s{'  SLOW' * (seconds > GOAL)}")
                page.wait_for_timeout(1000)  # what a page loads after it answered is not the next interaction's
    return slowest


def interactions(page, word: str) -> Iterator[tuple[str, Callable[[], None]]]:
    """Every page, and on each what people do there."""
    for name in PAGES:
        yield f"open {name}", lambda name=name: go(page, name)
        acts = {"Corpus": corpus, "Train": train, "Evaluate": evaluate, "Maps": maps, "Compare": compare}
        yield from {**acts, "Neighbors": neighbors}.get(name, nothing)(page, word)


Acts = Iterator[tuple[str, Callable[[], None]]]


def nothing(page, word: str) -> Acts:
    """Pages that are only looked at."""
    yield from ()


def corpus(page, word: str) -> Acts:
    """Another source, and back to the check-up."""
    seen = page.locator("input[type=file]")
    yield (
        "Corpus: another source",
        lambda: (page.get_by_role("radio", name="Your file").click(), seen.wait_for(state="attached")),
    )
    seen = page.get_by_role("button", name="Go on to Train")
    yield "Corpus: the check-up", lambda: (page.get_by_role("radio").first.click(), seen.wait_for())


def train(page, word: str) -> Acts:
    """Another recipe: the pairs change."""
    page.get_by_role("radio", name="New run").click()
    page.get_by_role("button", name="Start fine-tuning").wait_for()
    for title in ("Untouched", "Text crops"):
        card = page.get_by_role("button", name=title)
        yield (
            f"Train: recipe {title!r}",
            lambda card=card: (card.click(), card.and_(page.locator("[kind=primary]")).wait_for()),
        )


def evaluate(page, word: str) -> Acts:
    """Every view of a run's numbers."""
    seen = {"Classes": "The texts behind it", "Benchmarks": "Encoder", "Methods": "BibTeX", "Metrics": "Measure on"}
    for view, words in seen.items():
        found = page.get_by_text(words, exact=True).first
        yield (
            f"Evaluate: {view}",
            lambda view=view, found=found: (page.get_by_role("radio", name=view).click(), found.wait_for()),
        )


def maps(page, word: str) -> Acts:
    """Search, lasso, colour."""
    page.locator(".map .names span").nth(0).wait_for(state="attached")
    found = page.get_by_text("of this corpus")
    yield f"Maps: search {word!r}", lambda: (typed(page, "Search", word), found.wait_for())
    yield "Maps: search ended", lambda: (typed(page, "Search", ""), found.wait_for(state="detached"))
    yield "Maps: lasso around everything", lambda: lasso(page)
    outcome = page.get_by_text("right only after").first
    for option, state in (("kNN", "attached"), ("Label", "detached")):
        yield (
            f"Maps: colour by {option}",
            lambda option=option, state=state: (chosen(page, "Colour", option), outcome.wait_for(state=state)),
        )


def compare(page, word: str) -> Acts:
    """The curves and their other axes."""
    axis = page.locator(".chart .xtitle")
    yield "Compare: curves", lambda: (page.get_by_role("radio", name="Curves").click(), axis.first.wait_for())
    for name in ("Texts", "Seconds"):
        yield (
            f"Compare: curves over {name.lower()}",
            lambda name=name: (
                page.get_by_role("radio", name=name).click(),
                axis.filter(has_text=re.compile(name, re.IGNORECASE)).wait_for(),
            ),
        )


def neighbors(page, word: str) -> Acts:
    """A text by one of its words, and one by chance."""
    page.get_by_role("button", name="Random text").wait_for()
    found = page.get_by_text(re.compile(r"^Text \(.*found\)$"))
    yield f"Neighbors: search {word!r}", lambda: (typed(page, "Search the corpus", word), found.wait_for())
    yield "Neighbors: search ended", lambda: (typed(page, "Search the corpus", ""), found.wait_for(state="detached"))


def go(page, name: str) -> None:
    """Open a page by its link."""
    page.get_by_role("link", name=name, exact=True).click()
    page.wait_for_url(re.compile("/?" if name == "Home" else f"/{name.lower()}"))
    page.locator("h1").first.wait_for()


def typed(page, label: str, words: str) -> None:
    """Fill a field and leave it."""
    field = page.get_by_role("textbox", name=label, exact=True)
    field.fill(words)
    field.press("Enter")


def chosen(page, label: str, option: str) -> None:
    """Open a list and take the first line that begins so."""
    page.get_by_label(label).first.click()
    page.get_by_role("option", name=option).first.click()


def lasso(page) -> None:
    """Shift and a drag around the first map; ends when the table is there."""
    marks = page.locator(".map .marks").first
    marks.scroll_into_view_if_needed()
    box = marks.bounding_box()
    corners = [(0.02, 0.02), (0.98, 0.02), (0.98, 0.98), (0.02, 0.98), (0.02, 0.05)]
    first, *others = [(box["x"] + a * box["width"], box["y"] + b * box["height"]) for a, b in corners]
    page.keyboard.down("Shift")
    page.mouse.move(*first)
    page.mouse.down()
    for place in others:
        page.mouse.move(*place)
    page.mouse.up()
    page.keyboard.up("Shift")
    page.get_by_text("in the lasso").first.wait_for()


if __name__ == "__main__":
    main()
