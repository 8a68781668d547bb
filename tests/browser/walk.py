"""Walks every page and view in Chromium, takes a screenshot of each, and names what is wrong with it.

``python -m tests.browser.walk --out FOLDER [--home STORE]``: the newest run of the store, or of a new one in which the
demo is trained first, in light and dark at 1400 and 800 pixels; then a run on each odd corpus, in light at 1400 or in
``--odd`` (such as ``800 dark``). Ends with 1 where a page has a traceback, an error in the console, two components that
overlap, text cut off by its box, an empty plot, something serious found by axe, or where what is on screen jumps
(layout shift of 0.1 or more).
"""

import argparse
import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import urlencode

from playwright.sync_api import TimeoutError as Late

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT / "tests"), str(ROOT / "tests" / "ui")]

from conftest import ARGUMENTS, Served, chromium  # noqa: E402
from odd_runs import IN_BROWSER, LABELS, finished_run, odd_corpus  # noqa: E402

from embedlab.runs.store import list_runs, open_run  # noqa: E402
from embedlab.store_root import read_json_if_whole  # noqa: E402

SWITCHES = {  # what is opened of each place: its address, and the key of the switch in it that is walked too
    "home": ("", {}, ""),
    "data": ("data", {}, "data"),
    "sources": ("data", {"data": "Corpora"}, "corpus.source"),
    "train": ("train", {"train.view": "One run"}, "train.view"),
    "result": ("run", {"tab": "Result"}, ""),
    "map": ("run", {"tab": "Map"}, "map.view"),
    "scores": ("run", {"tab": "Scores"}, "scores.view"),
    "inside": ("run", {"tab": "Inside"}, "inside.view"),
    "length": ("run", {"tab": "Inside", "view": "Length"}, "length.view"),
    "diagnostics": ("run", {"tab": "Inside", "view": "Diagnostics"}, "diagnostics.part"),
    "export": ("run", {"tab": "Export"}, "export.view"),
    "runs": ("runs", {}, "runs.view"),
    "learn": ("learn", {}, "learn.view"),
}
IN_ADDRESS = {f"{each}.view": "view" for each in ("map", "scores", "inside", "export", "runs")}
IN_ADDRESS |= {"diagnostics.part": "instrument"}
MORE = {"map": ("Axes", "Test your reading"), "diagnostics": ("cosines", "hubness", "word-deletion", "readout")}
FULL = [(width, theme) for theme in ("light", "dark") for width in (1400, 800)]
MOST_SHIFT = 0.1
_SHIFTS = """window.shifts = 0; new PerformanceObserver((list) => list.getEntries().forEach((entry) => {
  if (!entry.hadRecentInput) window.shifts += entry.value; })).observe({ type: "layout-shift", buffered: true });"""
_FAULTS = Path(__file__).with_name("faults.js").read_text(encoding="utf-8")
_AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
_SERIOUS = """() => axe.run(document, { resultTypes: ["violations"] }).then((result) => result.violations
  .filter((each) => ["serious", "critical"].includes(each.impact))
  .flatMap((each) => each.nodes.map((node) => `axe: ${each.id}: ${node.html.slice(0, 120)}`)))"""
_DRAWN = "!document.querySelector('.chart:not(:has(.main-svg))')"
_NOT_OURS = ("_stcore",)  # Streamlit asks for its health below the page's own name


@dataclass
class Walk:
    """One store being walked; what was found wrong, a sentence each."""

    url: str
    out: Path
    browser: object
    faults: list[str] = field(default_factory=list)
    seen: int = 0

    def everywhere(self, run: str, corpus: str, name: str, width: int, theme: str) -> None:
        """Every page and view with this run picked, as one reader would open them."""
        context = self.browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
        context.set_default_timeout(120_000)
        context.add_init_script(_SHIFTS)
        first, views = {"run": run, "corpus": corpus}, {}
        for name_of, (page, address, switch) in SWITCHES.items():  # once unseen: the switch says its views
            opened = self._open(context, page, first | address)
            options = opened.locator(f".st-key-{(switch or 'none').replace('.', '-')} button").all_inner_texts()
            views[name_of] = [*(text.strip() for text in options), *MORE.get(name_of, ())]
            opened.close()
        for name_of, (page, address, switch) in SWITCHES.items():
            for view in views[name_of] or [""]:
                asked = first | address | ({IN_ADDRESS.get(switch, switch): view} if view else {})
                self.look(context, page, asked, f"{name}-{name_of}-{view}-{width}-{theme}")
        context.close()

    def look(self, context, page: str, address: dict, name: str) -> None:
        """Open it, judge it, keep its picture."""
        said: list[str] = []
        opened = self._open(context, page, address, said)
        found = opened.evaluate(_FAULTS)
        said += found["faults"]
        opened.evaluate(_AXE)
        said += opened.evaluate(_SERIOUS)
        if found["shift"] >= MOST_SHIFT:
            said.append(f"layout shift of {found['shift']:.2f}")
        picture = f"{name}.png".replace(" ", "-").replace("×", "x").replace("--", "-")
        opened.screenshot(path=self.out / picture)
        opened.close()
        self.seen += 1
        print(f"{picture}: {found['controls']} controls, {found['words']} words", *said, sep="\n    ", flush=True)
        self.faults += [f"{picture}: {each}" for each in said]

    def _open(self, context, page: str, address: dict, said: list[str] | None = None):
        opened = context.new_page()
        if said is not None:
            opened.on("pageerror", lambda error: said.append(f"script error: {error}"))
            opened.on("console", lambda line: said.append(f"console: {line.text}") if _is_error(line) else None)
        opened.goto(f"{self.url}/{page}?{urlencode({key: value for key, value in address.items() if value})}")
        for _ in range(2):  # plots and maps are drawn after the script's end, and may ask for another run of it
            opened.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
            opened.wait_for_timeout(1_500)
        with suppress(Late):  # a plot that is never drawn is found empty
            opened.wait_for_function(_DRAWN, timeout=10_000)
        return opened


def _is_error(line) -> bool:
    return line.type == "error" and not any(each in f"{line.text} {line.location}" for each in _NOT_OURS)


def full_run(home: Path) -> str:
    """The newest finished run, with layers and length where it has layers; the demo is trained where there is none."""
    if not list_runs():
        command = [sys.executable, "-m", "embedlab", "demo", "--json"]
        told = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        return json.loads(told.stdout)["run"]
    return next(run.id for run in list_runs() if run.result.exists())


def main() -> int:
    """Walk, print, and say by the exit status whether anything was wrong."""
    asked = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    asked.add_argument("--out", type=Path, required=True, help="where the pictures go")
    asked.add_argument("--home", type=Path, help="a store that has a finished run (default: a new one)")
    asked.add_argument("--only", choices=["full", "odd"], help="the full corpus alone, or the odd ones alone")
    asked.add_argument("--odd", nargs=2, default=("1400", "light"), help="width and theme of the odd corpora")
    asked = asked.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    home = asked.home or Path(mkdtemp())
    os.environ["EMBEDLAB_HOME"] = str(home)
    runs = [("full", full_run(home), each) for each in FULL] if asked.only != "odd" else []
    if asked.only != "full":
        runs += [
            (name, finished_run(odd_corpus(name)).id, (int(asked.odd[0]), asked.odd[1]))
            for name in (*LABELS, *IN_BROWSER)
        ]
    from playwright.sync_api import sync_playwright

    served = Served(home)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        walk = Walk(served.url, asked.out, browser)
        for name, run, (width, theme) in runs:
            corpus = (read_json_if_whole(open_run(run).result) or {}).get("corpus", {}).get("fingerprint", "")
            walk.everywhere(run, corpus, name, width, theme)
        browser.close()
    served.end()
    print(f"{walk.seen} pictures in {asked.out}, {len(walk.faults)} faults", *walk.faults, sep="\n")
    return 1 if walk.faults else 0


if __name__ == "__main__":
    sys.exit(main())
