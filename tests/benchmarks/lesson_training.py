"""Seconds and frames of one training in a lesson, in Chromium: ``python -m tests.benchmarks.lesson_training``.

300 steps of 64 texts of ``docs`` beside the live map and the line; times of the page's own clock.
"""

import statistics
import tempfile
from pathlib import Path

from embedlab.corpora import load_corpus
from embedlab.learn.catalog import export_lesson
from embedlab.learn.lesson import read_lesson
from tests.benchmarks.browser import page_of

ROUNDS = 5
LESSON = """---
title: One training
goal: Time it.
minutes: 1
---

## One

```pocket
train: button
steps: 300
batch: 64
```

## Two

Nothing.

## Three

Nothing.
"""
COUNT_FRAMES = """
window.drawn = 0;
const asked = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (draw) => asked((now) => { window.drawn++; draw(now); });
"""
TRAIN = """async () => {
  const numbers = document.querySelector(".numbers"), began = performance.now(), frames = window.drawn;
  document.querySelector(".controls button.go").click();
  while (!/300 steps.* s/.test(numbers.textContent)) await new Promise((next) => setTimeout(next, 5));
  const seconds = (performance.now() - began) / 1000;
  return [seconds, (window.drawn - frames) / seconds, Number(numbers.textContent.match(/, ([0-9.]+) s/)[1])];
}"""


def main() -> None:
    """Print the medians."""
    exported = export_lesson(read_lesson(LESSON, "timed"), corpus=load_corpus("docs"), anyway=True)
    with tempfile.TemporaryDirectory() as folder, page_of() as page:
        file = Path(folder) / "lesson.html"
        file.write_bytes(exported.page)
        page.add_init_script(COUNT_FRAMES)
        times = []
        for _ in range(ROUNDS):
            page.goto("about:blank")  # so that each round begins anew
            page.goto(f"{file.as_uri()}#1")
            page.locator(".controls button.go").wait_for()
            page.wait_for_timeout(1_500)  # the map of the untrained encoder comes to rest
            times.append(page.evaluate(TRAIN))
    wall, frames, training = (statistics.median(values) for values in zip(*times, strict=True))
    print(f"300 steps of 64 texts, median of {ROUNDS}: {wall:.2f} s on screen, {training:.1f} s of it in steps")
    print(f"frames a second while it trains: {frames:.0f}  (goal: at least 30)")


if __name__ == "__main__":
    main()
