"""Small aligned maps of several runs: the same texts at comparable places, classes in the same colours."""

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.encoder_catalog.catalog import encoder_title
from embedlab.jobs.requests.base import find_job
from embedlab.jobs.requests.drawing import AlignMaps
from embedlab.map_methods import MAP_METHODS, OWN_MAP
from embedlab.numbers import count, counted
from embedlab.report.run_rows import corpora_of
from embedlab.runs.drawn_map import DrawnMap, is_drawn_onto, right_map, rows_to_draw
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import has_only_places, own_files
from embedlab.runs.label_lineage import word_of_before
from embedlab.runs.result import read_result
from embedlab.runs.store import corpus_key, settings_of
from embedlab.ui.components.loaded_maps import class_map, load_map, map_at
from embedlab.ui.components.pair_of_maps import aligned_on
from embedlab.ui.components.run_maps import corner_of
from embedlab.ui.frame.layout import escaped
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.progress import job_panel, start_once
from embedlab.ui.frame.state import corpus_of, one_of, pick_run

TEXTS = 20_000  # on one small map; the same ones on all
IN_A_ROW, HEIGHT = 3, 270


def gallery(chosen: list[RunFolder], names: dict[str, str], *, starts_itself: bool = False) -> None:
    """The maps after of the chosen runs on one corpus, preceded by the first run's untouched map.

    starts_itself: whether maps that are missing in the first one's frame are drawn without a click
    """
    corpora = corpora_of(chosen)
    runs = [run for run in chosen if corpus_key(run) == corpus_key(chosen[0])]
    if len(corpora) > 1:
        first, others = corpora[corpus_key(chosen[0])], count(len(chosen) - len(runs))
        st.caption(
            escaped(f"The maps are of {first}. Not shown: {others} of the chosen runs, which are on other texts.", 300)
        )
    corpus = corpus_of(runs[0])
    if corpus is None:
        st.info("The texts of these runs are no longer in the store. Add their corpus again to see the maps.")
        return
    imported = {OWN_MAP: "Own"} if any(run.map("after", OWN_MAP).exists() for run in runs) else {}
    methods = {each.key: each.title for each in MAP_METHODS} | imported
    if st.session_state.get("compare.method") not in methods:
        st.session_state.pop("compare.method", None)
    method = one_of("Method", methods, key="compare.method", first="tsne")
    ready = [
        run
        for run in runs
        if run.map("after", method).exists()
        or (method != OWN_MAP and not has_only_places(run) and read_result(run) is not None)
    ]
    if not ready:
        st.info("None of these runs has embeddings yet. Their maps can be drawn when one has ended.")
        return
    if missing := [run for run in ready if not is_drawn_onto(run, ready[0], method)]:
        request = AlignMaps(runs=tuple(run.id for run in ready), method=method)
        are, maps = ("are", "maps") if len(missing) > 1 else ("is", "map")
        if starts_itself and find_job(request) is None:  # one that failed is not begun again by itself
            start_once(request)
        of = f"{count(len(missing))} of the {count(len(ready))} maps"
        line = f"{of} {are} not drawn in the frame of the first one yet. It is done once and kept."
        job_panel(request, start=f"Align {count(len(missing))} {maps}", key="compare.align", line=line)
    if waiting := [names[run.id] for run in runs if run not in ready]:
        st.caption(escaped(f"Without a map by this method: {', '.join(waiting)}.", 400))
    _small_maps([run for run in ready if run not in missing], names, corpus, method)


def _small_maps(runs: list[RunFolder], names: dict[str, str], corpus: Corpus, method: str) -> None:
    """One tile per run in table order, preceded by the untouched embeddings of the first."""
    if not runs:
        return
    first, tiles = runs[0], []
    if not own_files(first):
        began = f"{word_of_before(first).capitalize()}: {encoder_title(settings_of(first).get('encoder', ''))}"
        tiles = [("before", first, load_map(first, "before", method), began)]
    tiles += [("after", run, _in_frame(run, first, method), names[run.id]) for run in runs]
    ready = [(side, run, drawn, title) for side, run, drawn, title in tiles if drawn is not None]
    some, texts = _some_rows(corpus, corpus.fingerprint), min(TEXTS, corpus.info.texts)
    for start in range(0, len(ready), IN_A_ROW):
        columns = st.columns(IN_A_ROW, vertical_alignment="bottom")
        for column, (side, run, drawn, title) in zip(columns, ready[start : start + IN_A_ROW], strict=False):
            with column:
                _tile(run, side, drawn, corpus, some, title=title, method=method)
    of = f"{count(texts)} of {count(corpus.info.texts)} texts on each map, the same ones. "
    st.caption(of + "Colors are the classes; hover over a text to find it on all maps.")


def _tile(
    run: RunFolder, side: str, drawn: DrawnMap, corpus: Corpus, some: np.ndarray, *, title: str, method: str
) -> None:
    """The run's name with the link to its maps, and its map."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(f"**{escaped(title)}**")
        if side == "after" and st.button("Open", key=f"compare.open-{run.id}", type="tertiary", on_click=pick_run,
                                         args=(run,), help="This run's maps, large."):  # fmt: skip
            go_to("maps")
    mask = some[drawn.rows]
    class_map(
        corpus, drawn.rows[mask], drawn.coordinates[mask], key=f"gallery-{side}-{method}-{run.id}",
        group=f"gallery-{corpus.fingerprint}", corner=corner_of(run, side, drawn.facts, of="kNN", folds=False),
        alt=f"Map of {title}: {counted(int(mask.sum()), 'text')}.", names_on_map=False, legend=False, height=HEIGHT,
        still=True,  # a browser gives a page about 16 WebGL contexts
    )  # fmt: skip


def _in_frame(run: RunFolder, first: RunFolder, method: str) -> DrawnMap | None:
    drawn = map_at(right_map(run, first.id, first, method))
    onto = load_map(first, "after", method)
    return aligned_on(drawn, onto) if method == OWN_MAP and run.id != first.id and drawn and onto else drawn


@st.cache_resource(max_entries=4, show_spinner=False)
def _some_rows(_corpus: Corpus, fingerprint: str) -> np.ndarray:
    """The texts shown on small maps: all, or a fixed sample of 20,000. -> (corpus rows,) bool"""
    rows = rows_to_draw(_corpus)
    if len(rows) > TEXTS:
        rows = np.random.default_rng(0).permutation(rows)[:TEXTS]
    mask = np.zeros(_corpus.info.rows, bool)
    mask[rows] = True
    return mask
