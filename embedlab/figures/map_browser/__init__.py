"""The map in a browser, shared by the app's component and the replay file: visibility, points, names, legend.

Plain scripts without imports: Streamlit takes a component as one string, and a replay is one file.
"""

from pathlib import Path

_FOLDER = Path(__file__).parent
SCRIPTS = "colours view film nearest look layers points_2d names legend".split()


def map_script() -> str:
    """All scripts of the map joined, to be placed before the scripts that use them."""
    return "\n".join((_FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)


def map_style() -> str:
    """The style of class names on a map."""
    return (_FOLDER / "names.css").read_text(encoding="utf-8")
