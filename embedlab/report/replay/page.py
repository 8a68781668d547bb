"""The HTML of a replay: one file; texts are only ever text."""

from pathlib import Path

from embedlab.figures.one_file import one_file_page

_BROWSER = Path(__file__).parent / "browser"
_SCRIPTS = ("decoding", "map", "curves", "player", "main")


def replay_page(content: dict) -> bytes:
    """One self-contained page: nothing is fetched, and nothing but this very script and style may run."""
    scripts = [_source(f"{name}.js") for name in _SCRIPTS]
    return one_file_page(
        "Replay of a run", _source("replay.html"), scripts=scripts, style=_source("replay.css"), content=content
    )


def _source(name: str) -> str:
    return (_BROWSER / name).read_text(encoding="utf-8")
