"""The HTML of a replay: one file, one script, one style, both named by their hash; texts are only ever text."""

import base64
import hashlib
import json
from pathlib import Path

from embedlab.figures.map_browser import map_script, map_style
from embedlab.figures.palette import ACCENT, GRID, GROUND, INK, QUIET_INK, REFERENCE, UNTOUCHED, text_shade

_BROWSER = Path(__file__).parent / "browser"
_SCRIPTS = ("map", "curves", "player", "main")
_COLOURS = {
    "ground": GROUND,
    "ink": INK,
    "quiet": QUIET_INK,
    "grid": GRID,
    "accent": ACCENT,
    "untouched": UNTOUCHED,
    "reference": REFERENCE,
}


def replay_page(content: dict) -> bytes:
    """One self-contained page: nothing is fetched, and nothing but this very script and style may run."""
    sources = [_source("decoding.js"), map_script(), *(_source(f"{name}.js") for name in _SCRIPTS)]
    script = "(() => {\n" + "\n".join(sources) + "\n})();"
    style = _colours() + map_style() + _source("replay.css")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    page = _source("replay.html")
    for name, value in (("policy", policy), ("style", style), ("script", script), ("content", _inert(content))):
        before, mark, after = page.partition(f"<!--{name}-->")  # by place: a value that looks like a mark stays one
        assert mark, name
        page = before + value + after
    return page.encode("utf-8", "replace")


def _inert(content: dict) -> str:
    """JSON in which no HTML can begin or end, and no line separator stands."""
    told = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        told = told.replace(sign, f"\\u{ord(sign):04x}")
    return told.encode("utf-8", "replace").decode("utf-8")


def _colours() -> str:
    def shades(ground: str) -> str:
        named = {name: each[ground] for name, each in _COLOURS.items()}
        named |= {f"{name}-text": text_shade(_COLOURS[name], ground == "dark") for name in ("accent", "reference")}
        return " ".join(f"--{name}: {colour};" for name, colour in named.items())

    light, dark = shades("light"), shades("dark")
    return f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"


def _hash(source: str) -> str:
    """As a browser takes it of what stands between the tags."""
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def _source(name: str) -> str:
    return (_BROWSER / name).read_text(encoding="utf-8")
