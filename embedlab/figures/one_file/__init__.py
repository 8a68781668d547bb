"""A self-contained HTML page: script and style allowed by their hash, content as inert JSON."""

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from embedlab.figures.map_browser import map_script, map_style
from embedlab.palette import ACCENT, GRID, GROUND, INK, QUIET_INK, REFERENCE, UNTOUCHED, Ground, text_shade
from embedlab.plane import sixteen_bits

_COLOURS = {
    "ground": GROUND,
    "ink": INK,
    "quiet": QUIET_INK,
    "grid": GRID,
    "accent": ACCENT,
    "untouched": UNTOUCHED,
    "reference": REFERENCE,
}


def one_file_page(title: str, body: str, *, scripts: Sequence[str], style: str, content: dict) -> bytes:
    """``page.html`` with its placeholders filled in; nothing is fetched, and only this script and style may run.

    The scripts follow those of the map and of this folder, all in one function.
    """
    script = "(() => {\n" + "\n".join([shared_script(), *scripts]) + "\n})();"
    style = _colours() + map_style() + style
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    inert = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":  # no HTML tag begins or ends in it, and no line
        inert = inert.replace(sign, f"\\u{ord(sign):04x}")
    parts = {"policy": policy, "title": title, "style": style, "body": body, "content": inert, "script": script}
    # all at once: a value that looks like a mark stays one
    page = re.sub("<!--([a-z]+)-->", lambda mark: parts[mark.group(1)], _source("page.html"))
    return page.encode("utf-8", "replace")


def shared_script() -> str:
    """The drawing code shared by replays, lessons and one picture of the app."""
    names = "decoding elements axes line_chart plain_map".split()
    return "\n".join([*(_source(f"{name}.js") for name in names), map_script()])


def _source(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def packed(array: np.ndarray) -> str:
    """Little-endian bytes in base64, decoded by ``decoding.js``."""
    return base64.b64encode(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()).decode("ascii")


def packed_frames(frames: Sequence[np.ndarray]) -> tuple[dict[str, list[float]], list[str]]:
    """The corners ``low`` and ``high`` of all frames together, and the places of each. frames: (texts, 2) each"""
    whole, low, high = sixteen_bits(np.concatenate(frames))
    return {"low": low.tolist(), "high": high.tolist()}, [packed(each) for each in np.split(whole, len(frames))]


def _colours() -> str:
    def shades(ground: Ground) -> str:
        named = {name: each[ground] for name, each in _COLOURS.items()}
        named |= {f"{name}-text": text_shade(_COLOURS[name], ground == "dark") for name in ("accent", "reference")}
        return " ".join(f"--{name}: {colour};" for name, colour in named.items())

    light, dark = shades("light"), shades("dark")
    return f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"


def _hash(source: str) -> str:
    """The hash of the content between the tags, as a browser computes it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
