"""Takes the pictures of the README: ``python -m tests.browser.pictures --home STORE --demo RUN --out .github``.

The store needs a finished run of the demo with its layers and length (``embedlab demo``), and others to compare it
with; the demo is trained once more while it is looked at.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(Path(__file__).parent)]

from conftest import ARGUMENTS, Served, chromium  # noqa: E402

from embedlab.training.demo import DEMO  # noqa: E402

WIDTH, SIDEBAR = 1400, 280  # pixels
HALFWAY = re.compile(r"Fine-tuning, step [45]\d of")
COLOURS = 128  # of a picture: enough for charts and points, a quarter of the bytes


def take(
    context, url: str, page: str, address: dict, height: int, *, when: re.Pattern | None = None, wait: int = 4_000
) -> Image.Image:
    """What a reader sees of a page once it has been drawn; ``when``: words that have to stand on it first."""
    opened = context.new_page()
    opened.set_viewport_size({"width": WIDTH, "height": height})
    opened.goto(f"{url}/{page}?{urlencode(address)}")
    if when is not None:
        opened.get_by_text(when).first.wait_for()
    else:
        opened.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
    opened.wait_for_timeout(wait)
    path = Path(os.environ["EMBEDLAB_HOME"]) / "picture.png"
    opened.screenshot(path=path)
    opened.close()
    with Image.open(path) as picture:
        return picture.convert("RGB")


def side_by_side(*pictures: Image.Image) -> Image.Image:
    """One picture of several of one height."""
    both = Image.new("RGB", (sum(each.width for each in pictures), pictures[0].height))
    at = 0
    for each in pictures:
        both.paste(each, (at, 0))
        at += each.width
    return both


def train_demo(home: Path) -> str:
    """Start the demo once more; return its id."""
    file = home / "live.json"
    file.write_text(json.dumps(DEMO), encoding="utf-8")
    options = ["--settings", str(file), "--name", "live", "--json", "--detach"]
    command = [sys.executable, "-m", "embedlab", "train", *options]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)["run"]


def main() -> None:
    """Take all four and write them."""
    asked = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    asked.add_argument("--home", type=Path, required=True)
    asked.add_argument("--out", type=Path, required=True)
    asked.add_argument("--demo", required=True, help="the demo's run")
    asked = asked.parse_args()
    os.environ["EMBEDLAB_HOME"] = str(asked.home)
    from playwright.sync_api import sync_playwright

    served = Served(asked.home)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        context = browser.new_context(color_scheme="light")
        context.set_default_timeout(180_000)
        demo = {"run": asked.demo}
        found = {
            "home": take(context, served.url, "", demo, 1010),
            "layers-length": side_by_side(
                *(
                    take(context, served.url, "run", demo | {"tab": "Inside", "view": view}, 960, wait=9_000).crop(
                        (SIDEBAR, 0, WIDTH, 960)
                    )
                    for view in ("Layers", "Length")
                )
            ),
            "compare": take(context, served.url, "runs", {"view": "Metrics"}, 800),
        }
        live = {"run": train_demo(asked.home)}
        found["live"] = take(context, served.url, "", live, 860, when=HALFWAY)
        browser.close()
    served.end()
    for name, picture in found.items():
        small = picture if picture.width == WIDTH else picture.resize((WIDTH, picture.height * WIDTH // picture.width))
        small.quantize(COLOURS).save(asked.out / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
