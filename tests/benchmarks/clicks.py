"""How many clicks ten tasks take, each done in Chromium from Home: ``python -m tests.benchmarks.clicks --home STORE``.

The store needs two finished runs on one corpus or more, the newest with maps and a corpus that has labels; runs are
trained and deleted in it, so give a copy. A click is a press of the mouse, and a file chosen or a field entered
counts as one.
"""

import argparse
import csv
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tests.benchmarks.browser import ROOT, page_of, served, until_idle

BEFORE = {  # on e44076d, counted by reading its pages; None: it could not be done there
    "compare two chosen runs": 6, "the texts that a class lost": 3, "export a figure": 4, "reuse an encoder": 3,
    "start a Find": None, "sweep two values": 3, "share a view by its address": None, "import embeddings": 4,
    "delete two runs": 9, "own CSV to a verdict": 5,
}  # fmt: skip
ROW = 35  # pixels, of a table


class Clicks:
    """A page that counts what is pressed on it."""

    def __init__(self, page, url: str):
        self.page, self.count = page, 0
        page.goto(url)
        until_idle(page)

    def press(self, name: str | re.Pattern, role: str = "button", *, exact: bool = True) -> None:
        """Click the first one of this name that can be clicked."""
        self.page.get_by_role(role, name=name, exact=exact).locator("visible=true").first.click()
        self._counted()

    def download(self, name: str) -> None:
        """Press a button whose name begins so, and wait for its file."""
        with self.page.expect_download():
            self.press(name, exact=False)

    def fill(self, label: str, text: str) -> None:
        """Click into a field and type."""
        self.page.get_by_label(label, exact=True).first.fill(text)
        self.page.keyboard.press("Enter")
        self._counted()

    def choose(self, path: Path, *, which: int = 0) -> None:
        """Choose a file."""
        self.page.locator('input[type="file"]').nth(which).set_input_files(str(path))
        self._counted()

    def tick(self, row: int) -> None:
        """Tick a row of the page's first table."""
        table = self.page.get_by_test_id("stDataFrame").first
        table.click(position={"x": ROW / 2, "y": (row + 1.5) * ROW})
        self._counted()

    def _counted(self) -> None:
        self.count += 1
        self.page.wait_for_timeout(500)
        until_idle(self.page)


def own_csv(do: Clicks, files: Path) -> None:
    """Until the verdict of a run on an own table."""
    do.choose(files / "own.csv")
    do.press("Read these texts")
    do.press("Start fine-tuning")
    do.page.get_by_text("Neighbors now predict").first.wait_for(timeout=300_000)


def two_runs(do: Clicks, files: Path) -> None:
    """Until their scores are beside each other."""
    do.press("Runs", "link")
    do.tick(0)
    do.tick(1)
    do.page.get_by_role("heading", name="Settings that differ").wait_for()
    do.page.get_by_test_id("stTable").first.wait_for()


def class_worse(do: Clicks, files: Path) -> None:
    """Until the texts are listed that are no longer right."""
    do.press(re.compile(r"^Why .* got worse$|^Show the .* lost$"))
    do.page.get_by_text("right before and wrong after").first.wait_for()


def figure(do: Clicks, files: Path) -> None:
    """Until the PDF is downloaded."""
    do.press("Open this run")
    do.download("Download this figure as PDF")


def reuse(do: Clicks, files: Path) -> None:
    """Until the encoder is downloaded; the card in it has the lines that load it."""
    do.press("Open this run")
    do.download("Download the encoder")


def find(do: Clicks, files: Path) -> None:
    """Until it can be started, with the choices that are proposed."""
    do.press("Data", "link")
    do.page.get_by_role("button", name="Find the best encoder").wait_for()
    do.count += 1  # the start itself, which would take five minutes


def sweep(do: Clicks, files: Path) -> None:
    """Until two runs of it can be started."""
    do.press("New sweep")
    do.fill("Values", "0.05, 0.5")
    do.page.get_by_role("button", name="Start 6 runs").wait_for()
    do.count += 1


def vectors(do: Clicks, files: Path) -> None:
    """Until their import has begun."""
    do.choose(files / "own.npy")
    do.press("Import them")


def share(do: Clicks, files: Path) -> None:
    """Until the address of the map is shown."""
    do.press("Open this run")
    do.press("Map", "tab")
    do.press("Rerun, rename, share, delete")
    do.page.get_by_test_id("stCode").first.wait_for()


def delete(do: Clicks, files: Path) -> None:
    """Until two runs are gone."""
    do.press("Runs", "link")
    do.tick(0)
    do.tick(1)
    do.press("Tag or delete")
    do.press("Delete them")


TASKS: tuple[Callable[[Clicks, Path], None], ...] = (
    two_runs, class_worse, figure, reuse, find, sweep, share, vectors, delete, own_csv,
)  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--home", type=Path, required=True)
    home = parser.parse_args().home
    with tempfile.TemporaryDirectory() as folder, page_of() as page, served(ROOT / "app.py", home=home) as (url, *_):
        files, rows = Path(folder), 10_803  # of the built-in corpus, whose vectors are imported
        np.save(files / "own.npy", np.random.default_rng(0).normal(size=(rows, 8)).astype(np.float32))
        with open(files / "own.csv", "w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(["text", "label"])
            words = ("stars and planets", "flour and butter", "courts and verdicts", "sails and anchors")
            texts = [f"A text of {words[n % 4]}, number {n}. It is about {words[n % 4]}." for n in range(400)]
            table.writerows(zip(texts, (n % 4 for n in range(400)), strict=True))
        page.set_default_timeout(120_000)
        print("| task | e44076d | today |\n|---|--:|--:|")
        total, comparable = 0, 0
        for (name, before), act in zip(BEFORE.items(), TASKS, strict=True):
            do = Clicks(page, url)
            act(do, files)
            total, comparable = total + do.count, comparable + (do.count if before is not None else 0)
            print(f"| {name} | {'–' if before is None else before} | {do.count} |", flush=True)
        print(f"| all; of those possible before | {sum(filter(None, BEFORE.values()))} | {total}; {comparable} |")


if __name__ == "__main__":
    main()
