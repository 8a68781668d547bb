"""What a lesson runs in a browser: plain scripts without imports, its style and its page."""

from pathlib import Path


def browser_source(name: str) -> str:
    """The text of a file in this folder."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
