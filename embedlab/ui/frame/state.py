"""What a page works on: the picked run, opened corpora and theme; and the choices kept in the address."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypedDict

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embedlab.corpora.base import Corpus, open_corpus
from embedlab.distance import DISTANCES, EUCLIDEAN, SHOWN_FIRST, Distance
from embedlab.errors import EmbedlabError
from embedlab.palette import MOST_CLASSES, Shades, class_colours
from embedlab.runs.example import example_corpora
from embedlab.runs.folder import RunFolder
from embedlab.runs.hand_labels import shown_names
from embedlab.runs.index.file import changed
from embedlab.runs.store import fingerprint_of, run_if_readable
from embedlab.store_root import store_root
from embedlab.vectors.dimensions import dimensions_to_try


def opened(fingerprint: str) -> Corpus:
    """A stored corpus with its columns read so far; reopened after a rename or new summaries.

    An example's is the packaged one.
    """
    if (example := example_corpora().get(fingerprint)) is not None:
        return example
    folder = store_root() / "corpora" / fingerprint
    return _opened(store_root(), fingerprint, *(changed(folder / name) for name in ("corpus.json", "summaries.json")))


@lru_cache(maxsize=2)
def _opened(root: Path, fingerprint: str, *written: int) -> Corpus:
    return open_corpus(fingerprint)


RUN = "run"  # the id of the picked run, and its name in the URL
CHOSEN = "run_is_chosen"  # whether somebody chose the picked run; else it is only the newest one
TRAIN_VIEW, NEW_VIEW, FIND_VIEW = "train.view", "One run", "Find"  # of Train
COMPARED_RUNS, RUNS_VIEW = "compare.runs", "runs.view"  # of Runs
CORPUS_SOURCE, OWN_FILE = "corpus.source", "Your file"  # of Data
DROPPED = "corpus.dropped"  # the path of a file dropped on another page, which Data reads
CORPUS = "corpus"  # the fingerprint that Data and Train work on, and its name in the URL


def is_dark() -> bool:
    """Whether the page uses the dark theme."""
    return st.context.theme.type == "dark"


def picked_run() -> RunFolder | None:
    """The run picked in the frame, or None if there is none."""
    return run_if_readable(st.session_state.get(RUN))


def pick_run(folder: RunFolder) -> None:
    """Make this the picked run, from the next rerun on."""
    st.session_state[RUN] = folder.id
    st.session_state[CHOSEN] = True


def remember(key: str, value: Any) -> None:
    """For callbacks: the session has this value under this key."""
    st.session_state[key] = value


def hold(key: str) -> None:
    """Call before drawing a choice whose labels change between runs of the page (a time, a name): the browser returns
    the last label, which would count as a choice nobody made.
    """
    if key in st.session_state:
        st.session_state[key] = st.session_state[key]


def corpus_of(folder: RunFolder) -> Corpus | None:
    """The corpus of a run, or None if it is unknown or no longer stored."""
    try:
        return opened(fingerprint_of(folder))
    except (EmbedlabError, FileNotFoundError, KeyError):
        return None


def colours_of(corpus: Corpus) -> dict[str, Shades]:
    """The colour of each class, the same on all pages and in all runs; of labels by hand if there are no classes."""
    return class_colours(shown_names(corpus)[:MOST_CLASSES])


_DRAWN = "views.drawn"  # names in the address of the switches that this drawing of the page has
_TOLD = "views.told"  # of those that any drawing had


class Options(TypedDict):
    """Two keywords of any of Streamlit's choices."""

    options: list[Any]
    format_func: Callable[[Any], str]


def named(options: Mapping[Any, str]) -> Options:
    """These options, shown by their names."""
    return {"options": list(options), "format_func": options.__getitem__}


def one_of(
    label: str,
    options: Mapping[Any, str] | Iterable,
    *,
    key: str,
    first: Any = None,
    is_labelled: bool = True,
    **more: Any,
) -> Any:
    """A row of buttons of which one is always pressed, at first ``first``; kept while other pages are open.

    A single option is taken without one: there is nothing to choose.
    """
    names = options if isinstance(options, Mapping) else {each: str(each) for each in options}
    if len(names) == 1:
        return next(iter(names))
    more["label_visibility"] = "visible" if is_labelled else "collapsed"
    more |= {"required": True, "persist_state": "session"}
    return st.segmented_control(label, default=first, key=key, **named(names), **more)


def optional_of(label: str, options: Mapping[Any, str], *, key: str, none: str = "none", **more: Any) -> Any:
    """A list to choose from, first nothing (None), called ``none``; kept while other pages are open."""
    return st.selectbox(label, key=key, persist_state="session", **named({None: none, **options}), **more)


def several_of(
    label: str, options: Mapping[Any, str] | Iterable[Any], *, key: str, first: Sequence[Any] = (),
    at_least_one: bool = False, **more: Any,
) -> list[Any]:  # fmt: skip
    """A choice of several, at first ``first``, in the reader's order; kept while other pages are open.

    What is no longer offered is forgotten; ``at_least_one``: with nothing left, ``first`` is chosen again.
    """
    names = options if isinstance(options, Mapping) else {each: str(each) for each in options}
    earlier = [each for each in st.session_state.get(key, first) if each in names]
    st.session_state[key] = earlier or list(first) if at_least_one else earlier
    return st.multiselect(label, key=key, persist_state="session", **named(names), **more)


def view_choice(
    views: dict[str, str] | Iterable[str], *, key: str, first: str | None = None, address: str = "", more: int = 0
) -> str:
    """Draw the switch; without a choice the view ``first``, or the first one.

    ``views``: each with its words, or the words alone; the last ``more`` of them are under *More*. The address names
    the view by them, under ``address``, else ``key``. It is not bound to the address: what a page chooses by itself
    would be undone by the address of the click before.
    """
    words = views if isinstance(views, dict) else {view: view for view in views}
    _take(words, key=key, first=first, address=address or key)
    visible = list(words)[: len(words) - more]
    if (chosen := st.session_state[key]) not in visible:
        visible.append(chosen)
    view = st.segmented_control(
        "View", visible, key=key, label_visibility="collapsed", format_func=words.__getitem__, required=True,
        persist_state="session",
    ) or chosen  # fmt: skip
    if rest := [each for each in words if each not in visible]:
        with st.popover("More", width="content"):
            for each in rest:
                st.button(words[each], key=f"{key}.more-{each}", on_click=remember, args=(key, each), width="stretch")
    _tell(words[view], key=key, address=address or key)
    return view


def tab_choice(tabs: list[str], *, key: str) -> tuple[str, DeltaGenerator]:
    """The open tab's name and container; the same rule as ``view_choice``. Fill only the open tab."""
    _take({tab: tab for tab in tabs}, key=key, first=None, address=key)
    widget = f"{key}.tabs"
    st.session_state[widget] = st.session_state[key]
    containers = st.tabs(tabs, key=widget, on_change=lambda: remember(key, st.session_state[widget]))
    opened = st.session_state[key]
    _tell(opened, key=key, address=key)
    return opened, containers[tabs.index(opened)]


def take_choice(choices: Mapping[Any, str], *, key: str, address: str) -> None:
    """Before a box with this key is drawn: adopt the address's value if it is new and available.

    choices: what the address calls each
    """
    value, in_address = st.query_params.get(address), {name: choice for choice, name in choices.items()}
    if value in in_address and value != st.session_state.get(_seen(key)):
        st.session_state[key] = in_address[value]


def tell_choice(value: str | None, *, key: str, address: str) -> None:
    """After it is drawn: put the choice into the address; None removes it."""
    st.session_state[_seen(key)] = value
    if value is not None:
        _tell(value, key=key, address=address)
    elif address in st.query_params:
        del st.query_params[address]


def linked_choice(
    label: str,
    names: Mapping[str, str],
    *,
    key: str,
    address: str,
    initial: str = "",
    is_named: bool = False,
    **more: Any,
) -> str:
    """A list to choose from, in the address unless the first is chosen; ``is_named``: the address has its name."""
    words, first = names if is_named else {each: each for each in names}, next(iter(names))
    _take(words, key=key, first=initial, address=address)
    chosen = st.selectbox(label, key=key, persist_state="session", **named(names), **more)
    tell_choice(None if chosen == first else words[chosen], key=key, address=address)
    return chosen


def forget_switches() -> None:
    """Before a page is drawn: none of its switches is drawn yet."""
    st.session_state[_DRAWN] = set()


def tidy_address() -> None:
    """After a page is drawn: remove what a switch of another tab left in the address."""
    for name in st.session_state.get(_TOLD, set()) - st.session_state.get(_DRAWN, set()):
        if name in st.query_params:
            del st.query_params[name]


def _take(words: Mapping[str, str], *, key: str, first: str | None, address: str) -> None:
    """The same for a switch, which always has a choice."""
    take_choice(words, key=key, address=address)
    if st.session_state.get(key) not in words:
        st.session_state[key] = first or next(iter(words))


def _tell(value: str, *, key: str, address: str) -> None:
    st.query_params[address] = st.session_state[_seen(key)] = value
    for names in (_DRAWN, _TOLD):
        st.session_state.setdefault(names, set()).add(address)


def _seen(key: str) -> str:
    return f"{key}.in_url"


DISTANCE = "distance"  # the key of the switch, and its name in the URL
_DISTANCE_HELP = (
    "The distance used to find nearest neighbors. Encoders are trained and exported for cosine; the papers "
    "report Euclidean distance. Maps keep the distance they were drawn with."
)
AS_DRAWN = f"({DISTANCES[EUCLIDEAN]}, as for the maps)"  # of what is read beside a map and keeps its distance
_TITLES = {"cosine": "cosine", "euclidean": "Euclidean"}


def shown_distance() -> Distance:
    """The distance by which every page shows kNN accuracy and neighbors."""
    return st.session_state.get(DISTANCE) or SHOWN_FIRST


def take_distance() -> None:
    """Adopt the distance in the address, before anything that shows kNN accuracy is drawn."""
    take_choice({each: each for each in DISTANCES}, key=DISTANCE, address=DISTANCE)
    st.session_state[DISTANCE] = shown_distance()


def distance_switch() -> None:
    """Choose it; the address keeps it unless it is the default."""
    st.segmented_control("Neighbors by", key=DISTANCE, required=True, help=_DISTANCE_HELP, **named(_TITLES))
    chosen = shown_distance()
    tell_choice(chosen if chosen == EUCLIDEAN else None, key=DISTANCE, address=DISTANCE)


def by_distance(distance: Distance) -> str:
    """``(cosine)``, ``(Euclidean distance)``: appended to every kNN accuracy."""
    return f"({DISTANCES[distance]})"


DIMENSIONS = "dimensions"  # the key of the choice, and its name in the URL
_ALL = "all"
_DIMENSIONS_HELP = (
    "Each vector is cut to its first dimensions, as truncate_dim of sentence-transformers does. An encoder trained by "
    "Matryoshka loses little by it; Diagnostics has the curve. The address takes any number."
)


def dimensions_choice(dim: int, *, first: int | None = None) -> int | None:
    """Choose how many first dimensions of vectors of ``dim`` are kept; None: all, as where there is nothing to cut.

    ``first``: until something is chosen.
    """
    written = st.query_params.get(DIMENSIONS, "")
    numbers = {*dimensions_to_try(dim)[:-1], *([] if first is None else [first])}
    numbers |= {int(written)} if written.isascii() and written.isdecimal() and 0 < int(written[:7]) < dim else set()
    if not numbers:
        return None
    names = {_ALL: f"all {dim:,}"} | {str(each): str(each) for each in sorted(numbers, reverse=True)}
    initial = "" if first is None else str(first)
    chosen = linked_choice("Dimensions kept", names, key=DIMENSIONS, address=DIMENSIONS, initial=initial, width=150,
                           help=_DIMENSIONS_HELP)  # fmt: skip
    return None if chosen == _ALL else int(chosen)


SIZE = "size"  # its name in the URL
PROJECTOR = "projector"  # the key of the switch, and what the address says
FACTOR = 1.5  # of letters, points, lines and charts
_SIZE_HELP = "Text, points and lines 1.5 times as large. The menu at the top right has light and dark."
LETTERS = 15  # pixels: baseFontSize in .streamlit/config.toml


def shown_size() -> float:
    """The magnification of letters: 1, or more on a projector."""
    return FACTOR if st.session_state.get(PROJECTOR) else 1.0


def take_size() -> None:
    """Adopt the size in the address, before anything is drawn."""
    take_choice({True: PROJECTOR}, key=PROJECTOR, address=SIZE)
    st.session_state[PROJECTOR] = bool(st.session_state.get(PROJECTOR))
    size, scheme = shown_size(), "dark" if is_dark() else "light"  # Streamlit's own scheme does not reach popovers
    root = f":root {{ --embedlab-size: {size}; color-scheme: {scheme}; }}"
    st.html(f"<style>{root} html {{ font-size: {LETTERS * size}px !important; }}</style>")


def size_switch() -> None:
    """Choose it; the address keeps it."""
    chosen = st.toggle("Projector size", key=PROJECTOR, help=_SIZE_HELP)
    tell_choice(PROJECTOR if chosen else None, key=PROJECTOR, address=SIZE)
