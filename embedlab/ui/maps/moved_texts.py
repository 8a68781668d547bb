"""The texts that moved, ranked: most moved, gained most of their own class, lost most of it."""

import numpy as np
import pyarrow as pa
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.runs.folder import RunFolder
from embedlab.runs.map_readings import Moves
from embedlab.ui.listed_texts import take_away_csv
from embedlab.ui.map_readings import moves
from embedlab.ui.table import table_height
from embedlab.ui.text import count, shortened

ORDERS = {"most": "Most moved", "gained": "Gained", "lost": "Lost"}
SHOWN = 200
_CHARACTERS = 160


def ranked(run: RunFolder, against: str, order: str) -> np.ndarray:
    """Positions of the texts above noise in this order; gained and lost: whose own class became more, or fewer."""
    return _ranked(str(run.path), against, order, run.moves_facts(against).stat().st_mtime_ns, run)


@st.cache_resource(max_entries=6, show_spinner=False)
def _ranked(path: str, against: str, order: str, changed: int, _run: RunFolder) -> np.ndarray:
    found = moves(_run, against)
    effect = np.nan_to_num(found.effect, nan=0.0)
    good = {"most": found.above, "gained": found.above & (effect > 0), "lost": found.above & (effect < 0)}[order]
    positions = np.flatnonzero(good)
    moved, effect = found.movement[positions], effect[positions]
    first, second = {"most": (moved, np.abs(effect)), "gained": (effect, moved), "lost": (-effect, moved)}[order]
    return positions[np.lexsort((positions, -second, -first))]


def moved_texts(corpus: Corpus, found: Moves, positions: np.ndarray, order: str, *, key: str) -> int | None:
    """Draw the table; the corpus row that is chosen in it."""
    if not len(positions):
        st.caption({"most": "No text is ranked.", "gained": "No text gained.", "lost": "No text lost."}[order])
        return None
    shown = positions[:SHOWN]
    table = moves_table(corpus, found, shown)
    event = st.dataframe(
        table,
        key=f"{key}-{order}",
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        width="stretch",
        height=table_height(len(shown), most=6),
        column_order=[name for name in table.column_names if name != "row"],
        column_config={
            "movement": st.column_config.NumberColumn("movement", format="%.2f", width=90),
            "same label": st.column_config.TextColumn(
                "same label", width=100, help="Of its ten nearest, before → after."
            ),
            "label": st.column_config.TextColumn("label", width=170),
            "text": st.column_config.TextColumn("text", width="large"),
        },
        alt="Texts that moved, one a row, in the chosen order.",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        name = f"{corpus.name}-{order}-moved.csv"
        take_away_csv(lambda: moves_table(corpus, found, positions, whole=True), name, "Download CSV", key=f"{key}.csv")
        said = "Choose a row to see its neighbors before and after."
        if len(positions) > SHOWN:
            said += f" The table has the first {count(SHOWN)}, the download all {count(len(positions))}."
        st.caption(said)
    chosen = event.selection.rows
    return int(found.rows[shown[chosen[0]]]) if chosen and chosen[0] < len(shown) else None


def moves_table(corpus: Corpus, found: Moves, positions: np.ndarray, *, whole: bool = False) -> pa.Table:
    """Movement, neighbors of the own class before and after, label, and the text (its beginning, unless ``whole``)."""
    rows = found.rows[positions]
    columns = {"row": pa.array(rows, pa.int64()), "movement": pa.array(found.movement[positions], pa.float32())}
    if corpus.labels is not None:
        both = zip(found.same_before[positions].tolist(), found.same_after[positions].tolist(), strict=True)
        columns["same label"] = pa.array(["" if before < 0 else f"{before} → {after}" for before, after in both])
        columns["label"] = pa.array(corpus.labels[rows], pa.string())
    if corpus.titles is not None:
        columns["title"] = pa.array([corpus.titles[row] for row in rows], pa.string())
    texts = [corpus.texts[row] for row in rows]
    columns["text"] = pa.array(
        texts if whole else [shortened(" ".join(text[:600].split()), _CHARACTERS) for text in texts]
    )
    return pa.table(columns)
