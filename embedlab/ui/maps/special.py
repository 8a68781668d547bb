"""What is special about some texts: the labels and words they have more often than all others."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.figures.text import shortened
from embedlab.numbers import count, counted, percent
from embedlab.statistics.over_represented import OverRepresented, over_represented
from embedlab.statistics.word_index import MOST_TEXTS, WordIndex, sampled, word_counts, word_index
from embedlab.ui.frame.layout import pair

MOST_WORDS, MOST_LABELS = 12, 6
PRIOR_TEXTS = 10  # both groups begin as if they had so many texts more, mixed as all texts are
_TEST = "by Fisher's exact test at 5 % for all of them together"
_ORDER = "Order: log-odds with a Dirichlet prior (Monroe et al. 2008)."


@dataclass(frozen=True)
class Line:
    """A word or label and in how many texts it stands."""

    name: str
    inside: int
    outside: int


@dataclass(frozen=True)
class Special:
    """Over-represented items of one kind, the most certain first."""

    lines: tuple[Line, ...]
    more: int  # that stand out too and are not listed
    compared: int
    of_inside: int
    of_outside: int


def special(corpus: Corpus, rows: np.ndarray) -> None:
    """Both lists for the texts of these corpus rows; nothing if there are no other texts."""
    content = np.unique(np.asarray(rows, np.int64))
    if not 0 < len(content) < len(corpus.kept):
        return
    words = _words(corpus, corpus.fingerprint, content.tobytes())
    labels = special_labels(corpus, content)
    kinds = [(name, kind) for name, kind in (("Labels", labels), ("Words", words)) if kind is not None]
    with st.expander("What is special about these texts?", expanded=True, key="maps.special"):
        clear = [(name, kind) for name, kind in kinds if kind.lines]
        if not clear:
            st.caption(_nothing(kinds))
            return
        places = pair("special") if len(clear) == 2 else [st.container()]
        for column, (name, kind) in zip(places, clear, strict=True):
            column.html(_table(name, kind))
        sample = (
            f" Words were counted in a sample of {count(MOST_TEXTS)} texts." if len(corpus.kept) > MOST_TEXTS else ""
        )
        st.caption(_explained(clear) + sample)


def special_labels(corpus: Corpus, rows: np.ndarray) -> Special | None:
    """Labels more frequent in these texts than in the others; None without two classes. rows: (chosen,)"""
    if len(corpus.info.classes) < 2:
        return None
    chosen = np.zeros(corpus.info.rows, bool)
    chosen[rows] = True
    class_of_row, names = corpus.class_numbers, [each.label for each in corpus.info.classes]
    labelled = (class_of_row >= 0) & ~corpus.excluded
    inside, outside = (np.bincount(class_of_row[labelled & each], minlength=len(names)) for each in (chosen, ~chosen))
    sizes = {"of_inside": int(inside.sum()), "of_outside": int(outside.sum())}
    tested = over_represented(inside=inside, outside=outside, prior=PRIOR_TEXTS, **sizes)
    return _listed(names, inside, outside, tested, MOST_LABELS, **sizes)


@st.cache_resource(max_entries=16, show_spinner="Counting words")
def _words(_corpus: Corpus, fingerprint: str, rows: bytes) -> Special:
    """The words of the rows, given as the bytes of int64."""
    return special_words(_corpus, np.frombuffer(rows, np.int64), _index(_corpus, fingerprint))


@st.cache_resource(max_entries=1, show_spinner="Counting words")
def _index(_corpus: Corpus, fingerprint: str) -> WordIndex:
    return word_index(_corpus.texts, sampled(_corpus.kept))


def special_words(corpus: Corpus, rows: np.ndarray, index: WordIndex) -> Special:
    """Words in more of these texts than expected from the others, allowing for text length.

    A word counts once a text, and its odds are among all such counts: longer texts do not make every word frequent.
    """
    counts = word_counts(index, corpus.texts, rows)
    totals = {"of_inside": int(counts.inside.sum()), "of_outside": int(counts.outside.sum())}
    different = max(counts.texts_inside + counts.texts_outside, 1)
    prior = PRIOR_TEXTS * sum(totals.values()) / different  # as many words as so many texts have
    clear = over_represented(inside=counts.inside, outside=counts.outside, prior=prior, **totals)
    texts = {"of_inside": counts.texts_inside, "of_outside": counts.texts_outside}
    return _listed(counts.vocabulary, counts.inside, counts.outside, clear, MOST_WORDS, **texts)


def _listed(
    names: Sequence[str], inside: np.ndarray, outside: np.ndarray, tested: OverRepresented, most: int, **of: int
) -> Special:
    lines = [Line(names[index], int(inside[index]), int(outside[index])) for index in tested.places[:most]]
    return Special(tuple(lines), max(len(tested.places) - most, 0), tested.compared, **of)


def _table(name: str, special: Special) -> str:
    """One kind as a table with bars: in these texts, and in the others."""
    kind = "labelled text" if name == "Labels" else "text"
    here = f"of {count(special.of_inside)} {kind}{'' if special.of_inside == 1 else 's'} here"
    heads = (here, f"of {count(special.of_outside)} others")
    longest = max(
        max(each.inside / special.of_inside, each.outside / max(special.of_outside, 1)) for each in special.lines
    )
    rows = "".join(
        f'<tr><th scope="row" title="{escape(each.name)}">{escape(shortened(each.name, 40))}</th>'
        f"{_cell(each.inside, special.of_inside, longest, 'here')}"
        f"{_cell(each.outside, special.of_outside, longest, 'others')}</tr>"
        for each in special.lines
    )
    return (
        f'{_STYLE}<table class="special"><tr><th>{name}</th><th>{heads[0]}</th><th>{heads[1]}</th></tr>{rows}</table>'
    )


def _cell(number: int, of: int, longest: float, kind: str) -> str:
    share = number / max(of, 1)
    return (
        f'<td class="{kind}"><i style="width:{100 * share / longest:.1f}%"></i>'
        f"<span>{count(number)} <small>({_percent(share)})</small></span></td>"
    )


def _percent(share: float) -> str:
    """Two significant digits for a small share, whole percents for a large one."""
    return percent(share, 0) if share >= 0.095 or share == 0 else f"{100 * share:.2g} %"


def _explained(kinds: list[tuple[str, Special]]) -> str:
    more = "".join(f" {count(special.more)} more {name.lower()} stand out." for name, special in kinds if special.more)
    return (
        f"More frequent here than in the other texts {_TEST} ({_compared(kinds)} compared).{more} {_ORDER} "
        "A word counts once per text; copies of a text count once."
    )


def _nothing(kinds: list[tuple[str, Special]]) -> str:
    if not any(special.compared for _, special in kinds):
        return "These are too few texts to compare with the others."
    return f"Nothing is clearly more frequent here than in the other texts, {_TEST} ({_compared(kinds)} compared)."


def _compared(kinds: list[tuple[str, Special]]) -> str:
    """``27 labels and 11,800 words``"""
    return " and ".join(counted(special.compared, name.lower().removesuffix("s")) for name, special in kinds)


_STYLE = """<style>
.special { width: 100%; border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
.special th { text-align: left; font-weight: 600; padding: 2px 8px 2px 0; white-space: nowrap; }
.special th[scope] { font-weight: 400; max-width: 11rem; overflow: hidden; text-overflow: ellipsis; }
.special td { position: relative; width: 36%; padding: 2px 6px; }
.special i { position: absolute; inset: 3px auto 3px 0; border-radius: 2px; opacity: 0.28; }
.special .here i { background: var(--st-primary-color, #1f5fd0); }
.special .others i { background: currentColor; opacity: 0.16; }
.special span { position: relative; white-space: nowrap; }
</style>"""
