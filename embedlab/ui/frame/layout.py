"""What stands on a page: users' text, places side by side, tables, numbers, charts, parts of their own, errors.

A chart is plotly.js, loaded once for all, in a component that updates without flicker and keeps zoom and hover.
"""

import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, Protocol

import pyarrow as pa
import streamlit as st
from streamlit.components.v2.bidi_component.state import ComponentResult
from streamlit.components.v2.types import ComponentRenderer
from streamlit.delta_generator import DeltaGenerator

from embedlab.disk_trouble import trouble_said
from embedlab.errors import EmbedlabError
from embedlab.numbers import points, signed
from embedlab.plain_text import shortened
from embedlab.ui.frame.state import LETTERS, named, shown_size


def pair(key: str) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Two containers of one row: before left, after right."""
    with st.container(horizontal=True, key=f"pair-{key}"):
        return st.container(), st.container()


@contextmanager
def side_by_side(key: str) -> Iterator[tuple[DeltaGenerator, DeltaGenerator]]:
    """A wide place and a narrow one to its right (below it on a small screen); the wide one takes all while that is
    empty.

    What stands in the wide one stays as it is when the narrow one fills.
    """
    with st.container(horizontal=True, key=f"beside-{key}"):
        yield st.container(), st.container()


def kept_place(key: str) -> DeltaGenerator:
    """An empty container with a size from frame.css; Streamlit draws none that is completely empty."""
    box = st.container(key=f"kept-{key}")
    box.html("<i></i>")
    return box


_ROW, _FRAME = 2.1875, 2  # Streamlit's row in letter heights, and the lines around the table in pixels


def table_height(rows: int, *, most: int = 10) -> int:
    """The height in pixels of a table with ``rows`` lines; with more than ``most`` lines it scrolls."""
    return round(_ROW * LETTERS * shown_size()) * (1 + max(1, min(rows, most))) + _FRAME


def show_table(content: Any, *, alt: str, most: int = 10, formats: Mapping | None = None, **more: Any) -> None:
    """A table as high as its lines; with more than ``most`` of them it scrolls. ``formats``: of its columns"""
    height = table_height(len(getattr(content, "data", content)), most=most)  # of a styled frame: the frame
    st.dataframe(content, hide_index=True, height=height, alt=alt, column_config=formats, **more)


def whole_table(content: pa.Table, *, key: str, alt: str) -> None:
    """A table with all its lines; their room is kept until the browser has loaded what draws it."""
    st.html(f"<style>.st-key-{key} {{ min-height: {_ROW * (1 + len(content)):.1f}rem; }}</style>")
    with st.container(key=key):
        st.table(content, hide_index=True, alt=alt)


def with_signs(table: pa.Table, changes: Mapping[str, tuple[int, str]]) -> Any:
    """The table with these columns written by ``signed``; their cells stay numbers, by which they are sorted.

    changes: the digits and the unit of each. Streamlit's own format would write a change of zero as +0.0.
    """
    written = {
        name: partial(_change, digits=digits, unit=unit)
        for name, (digits, unit) in changes.items()
        if name in table.column_names
    }
    return table.to_pandas().style.format(written, na_rep="–")


def _change(value: float, *, digits: int, unit: str) -> str:
    return f"{signed(value, digits)}{unit}"


_HEIGHT, _WITH_CHANGE = 60, 86  # pixels
_LABEL, _VALUE = 0.875, 1.7  # of Streamlit's small letters, and metricValueFontSize in .streamlit/config.toml
_HELP, _ARROW = 26, 34  # pixels of the question mark, and of the arrow with the edges of its field
# How wide its letters are, in their own height; others are 0.58.
_EMS = {" ',.:;Iijl|": 0.25, '!"()-/[]frt{}': 0.33, "0123456789acegksvxyz?–−±×=+<>": 0.5, "%@MWmw→…": 0.82}


class number_row:  # noqa: N801 (used like a function)
    """Numbers side by side, each as wide as it needs; on a narrow screen they wrap.

    Streamlit fetches what draws a number later: its width is set, or the row would wrap, and all below it jump, then.
    """

    def __init__(self) -> None:
        self.place = st.container(horizontal=True, gap="medium")

    def metric(self, label: str, value: str, change: float | str | None = None, *, help: str | None = None) -> None:  # noqa: A002
        """One number; ``change``: the difference of a share from the previous one, or a text."""
        delta = change if change is None or isinstance(change, str) else points(change)
        lines = _wide(label, _LABEL) + _HELP * bool(help), _wide(value, _VALUE), _wide(delta or "", _LABEL) + _ARROW
        height = _HEIGHT if delta is None else _WITH_CHANGE
        width, height = (round(each * shown_size()) for each in (max(lines), height))
        self.place.metric(
            label, value, delta, help=help, width=width, height=height, delta_color="blue",
            delta_arrow="off" if delta in (None, points(0.0)) else "down" if delta.startswith("−") else "up",
        )  # fmt: skip


def _wide(text: str, size: float) -> float:
    """About how many pixels a line needs, rather too many; ``size``: of its letters, 1 for those of the page."""
    widths = {letter: ems for letters, ems in _EMS.items() for letter in letters}
    return 1.03 * LETTERS * size * sum(widths.get(each, 1.0 if each > "\u2e80" else 0.58) for each in text)


_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$<>&=\"'])")
_OPTIONS = re.compile(r" \(--[^)]*\)")
_EMOJI = re.compile(r":(?=[\w+\-/])")
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_JOINER = "\u2060"  # seen by no reader; keeps ``:red[`` and ``:smile:`` from being read as markup


def show_text(text: str, *, characters: int = 4000) -> None:
    """Corpus text exactly as it is: never Markdown, HTML or LaTeX."""
    st.text(shortened(text, characters))


def escaped(text: object, characters: int = 120) -> str:
    """User text for labels, captions and other places where Streamlit reads Markdown: shown verbatim, on one line."""
    line = shortened(_BLANKS.sub(" ", str(text)).strip(), characters)
    return _EMOJI.sub(rf"\\:{_JOINER}", _MARKUP.sub(r"\\\1", line))


def without_options(sentence: str) -> str:
    """A sentence shared with the command line, without the options in parentheses."""
    return _OPTIONS.sub("", sentence)


def show_error(error: EmbedlabError | str) -> None:
    """What went wrong, in its own words: what was expected, what was found, what to do."""
    st.error(escaped(without_options(error if isinstance(error, str) else error.message), 1000))


@contextmanager
def errors_shown() -> Iterator[None]:
    """Shows a user's mistake, or the system's refusal, as a sentence where it occurs."""
    try:
        yield
    except EmbedlabError as error:
        show_error(error)
    except Exception as error:
        if (refused := trouble_said(error)) is None:
            raise
        show_error(refused)


def fragment(draw: Callable[..., None], *, key: str, run_every: float | None = None) -> Callable[..., None]:
    """A part of a page that is drawn again by itself. What is wrong is a sentence there too: Streamlit shows what a
    fragment raises before the page can.
    """

    def shown(*given: Any) -> None:
        with errors_shown():
            draw(*given)

    return st.fragment(shown, run_every=run_every, key=key)


def browser_component(
    name: str, folder: Path, files: str, scripts: Iterable[str], *, style: str = "", script: str = "", **more: Any
) -> ComponentRenderer:
    """A part of ours with a script: ``files``.html and .css of this folder, and its scripts joined to one module.

    ``style`` and ``script`` are shared with others and stand before its own.
    """

    def source(file: str) -> str:
        return (folder / file).read_text(encoding="utf-8")

    return st.components.v2.component(
        f"embedlab.{name}", html=source(f"{files}.html"), css=style + source(f"{files}.css"),
        js="\n".join([script, *(source(f"{each}.js") for each in scripts)]), **more,
    )  # fmt: skip


def noting(component: ComponentRenderer, *values: str) -> partial[ComponentResult]:
    """The component with values that the browser sets: Streamlit keeps one only if it has a callback."""
    callbacks: dict[str, Any] = {f"on_{value}_change": lambda: None for value in values}
    return partial(component, **callbacks)


def rerun_when(is_so: Callable[[], bool], *, key: str, every: float, meanwhile: str = "") -> None:
    """The page is drawn again as soon as this holds, looked at ``every`` so many seconds; ``meanwhile`` stands here."""

    def look() -> None:
        if is_so():
            st.rerun()
        if meanwhile:
            st.caption(meanwhile)

    fragment(look, run_every=every, key=key)()


_CHART_SCRIPTS = "enlarged picture race chart".split()
_chart = browser_component(
    "chart", Path(__file__).with_name("chart_browser"), "chart", _CHART_SCRIPTS, isolate_styles=False
)


class Figure(Protocol):
    """The interface of a plotly figure used here; plotly itself is imported only in figures/."""

    def to_json(self) -> str: ...


def chart(figure: Figure, *, key: str, on_click: Callable[[], None] | None = None, race: dict | None = None) -> None:
    """Draw or update a chart in place; the reader's zoom stays while ``layout.uirevision`` does.

    The figure's own sentence (``layout.meta.alt``) is read out in place of the picture.
    ``on_click`` runs when the reader clicks a mark, whose place ``clicked(key)`` then is. ``race``: so many first
    traces (``lines``, then ``grey`` ones outside the race) grow together until x is ``end``, where the sentences
    ``verdicts`` appear.
    """
    drawn = json.loads(figure.to_json())
    layout = drawn["layout"]
    file = file_name(layout.get("title", {}).get("text", "")) or file_name(key)
    height = None if race else layout.get("height")  # kept free from the first moment: what stands below does not jump
    room: int | Literal["content"] = "content" if height is None else round(height * shown_size())
    data = dict(
        figure=drawn, alt=layout.get("meta", {}).get("alt", ""), plotly=_plotly_address(), file=file, size=shown_size(),
        clicks=on_click is not None, race=race,
    )  # fmt: skip
    callbacks: dict[str, Any] = {} if on_click is None else {"on_clicked_change": on_click}
    _chart(data=data, key=key, height=room, **callbacks)


def clicked(key: str) -> tuple[float, float] | None:
    """Where the reader clicked on the chart with this key: x and y, or column and row of a heat map."""
    point = (st.session_state.get(key) or {}).get("clicked")
    return None if point is None else (float(point["x"]), float(point["y"]))


def file_name(title: str) -> str:
    """The file name of a picture with this title, without extension: lower-case words joined by hyphens."""
    words = html.unescape(re.sub(r"<[^>]*>", " ", title)).casefold()
    words = re.sub(r"(?<=\d),(?=\d)", "", words)  # 1,100 is one number
    return re.sub(r"[^\w]+", "-", words).strip("-_")[:60].rstrip("-_")


def smoothing_choice(key: str) -> float:
    """The smoothing of curves; the same on every curve until changed."""
    return st.select_slider(
        "Smoothing", value=0.0, key=key, width=170, persist_state="session",
        help="An exponential moving average; the measured values stay faint behind it. Drag on "
        "a curve to zoom in, double click to see all of it again.",
        **named({0.0: "none", 0.6: "light", 0.85: "medium", 0.97: "strong"}),
    )  # fmt: skip


def prepare_charts() -> None:
    """Let the browser load plotly.js while idle, so that no chart waits for it."""
    _chart(key="charts", data=dict(plotly=_plotly_address()))


@cache
def _plotly_address() -> str:
    return f"assets/plotly.min.js?v={version('plotly')}"
