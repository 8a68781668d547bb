"""What is special about some texts: the labels and words they have more often than all others."""

from html import escape

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.numbers import count, counted, percent
from embedlab.plain_text import shortened
from embedlab.report.special import Special, special_labels, special_words
from embedlab.statistics.word_index import MOST_TEXTS, WordIndex, sampled, word_index
from embedlab.ui.frame.layout import pair

_TEST = "by Fisher's exact test at 5 % for all of them together"


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
            nothing = "Nothing is clearly more frequent here than in the other texts"
            line = f"{nothing}, {_TEST} ({_compared(kinds)} compared)."
            is_compared = any(kind.compared for _, kind in kinds)
            st.caption(line if is_compared else "These are too few texts to compare with the others.")
            return
        places = pair("special") if len(clear) == 2 else [st.container()]
        for column, (name, kind) in zip(places, clear, strict=True):
            column.html(_table(name, kind))
        more = "".join(f" {count(kind.more)} more {name.lower()} stand out." for name, kind in clear if kind.more)
        sample = f" Words were counted in a sample of {count(MOST_TEXTS)} texts." * (len(corpus.kept) > MOST_TEXTS)
        st.caption(
            f"More frequent here than in the other texts {_TEST} ({_compared(clear)} compared).{more} "
            "Order: log-odds with a Dirichlet prior (Monroe et al. 2008). "
            f"A word counts once per text; copies of a text count once.{sample}"
        )


@st.cache_resource(max_entries=16, show_spinner="Counting words")
def _words(_corpus: Corpus, fingerprint: str, rows: bytes) -> Special:
    """The words of the rows, given as the bytes of int64."""
    return special_words(_corpus, np.frombuffer(rows, np.int64), _index(_corpus, fingerprint))


@st.cache_resource(max_entries=1, show_spinner="Counting words")
def _index(_corpus: Corpus, fingerprint: str) -> WordIndex:
    return word_index(_corpus.texts, sampled(_corpus.kept))


def _table(name: str, special: Special) -> str:
    """One kind as a table with bars: in these texts, and in the others."""
    kind = "labeled text" if name == "Labels" else "text"
    here, others = f"of {counted(special.of_inside, kind)} here", f"of {count(special.of_outside)} others"
    longest = max(
        max(each.inside / special.of_inside, each.outside / max(special.of_outside, 1)) for each in special.lines
    )
    rows = "".join(
        f'<tr><th scope="row" title="{escape(each.name)}">{escape(shortened(each.name, 40))}</th>'
        f"{_cell(each.inside, special.of_inside, longest, 'here')}"
        f"{_cell(each.outside, special.of_outside, longest, 'others')}</tr>"
        for each in special.lines
    )
    return f'{_STYLE}<table class="special"><tr><th>{name}</th><th>{here}</th><th>{others}</th></tr>{rows}</table>'


def _cell(number: int, of: int, longest: float, kind: str) -> str:
    share = number / max(of, 1)
    written = percent(share, 0) if share >= 0.095 or share == 0 else f"{100 * share:.2g} %"  # small: two digits
    return (
        f'<td class="{kind}"><i style="width:{100 * share / longest:.1f}%"></i>'
        f"<span>{count(number)} <small>({written})</small></span></td>"
    )


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
