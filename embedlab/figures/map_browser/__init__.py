"""The map in a browser, as the app's component and the file of a replay draw it: what is shown, points, names, legend.

Plain scripts without imports: Streamlit takes a component as one string, and a replay is one file.
"""

from pathlib import Path

_FOLDER = Path(__file__).parent
SCRIPTS = "colours view film nearest look layers points_2d names legend".split()


def map_script() -> str:
    """All scripts after each other, to stand before those that use them."""
    return "\n".join((_FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)


def map_style() -> str:
    """The style of the names on a map."""
    return (_FOLDER / "names.css").read_text(encoding="utf-8")
