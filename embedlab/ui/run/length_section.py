"""Length attack: what repeating a text does to its similarity with others, untouched and fine-tuned."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import streamlit as st

from embedlab.corpora.sets.stored import list_sets
from embedlab.encoder_catalog.names import REPEATS_CHANGE_NOTHING
from embedlab.figures.length import copies_read, similarity_histograms
from embedlab.jobs.requests.measuring import AttackLength, AttackScoredPairs, PairsFile
from embedlab.metrics.length_results import LengthFacts, Robustness, ScoredLength
from embedlab.numbers import count, counted, from_to
from embedlab.report.length_words import answer, copies_range, copies_sentence, cosines, plain_count, scores_table
from embedlab.report.verdict_words import scored_pairs_sentence
from embedlab.runs.evaluations import read_length, read_scored_length
from embedlab.runs.example import MINI
from embedlab.runs.folder import SCORED, RunFolder
from embedlab.runs.label_lineage import word_of_before
from embedlab.runs.result import read_result
from embedlab.ui.components.built_in import example_needed
from embedlab.ui.components.inside_pictures import similarities
from embedlab.ui.components.inside_section import is_awaited
from embedlab.ui.components.other_runs import is_token, measuring_place, offer_layered, runs_beside
from embedlab.ui.components.same_with import offer_elongation
from embedlab.ui.frame.files import csv_download, keep_upload
from embedlab.ui.frame.layout import chart, escaped, number_row, show_table
from embedlab.ui.frame.navigation import go_button
from embedlab.ui.frame.progress import job_panel
from embedlab.ui.frame.state import is_dark, one_of, view_choice
from embedlab.ui.run.typed_texts import bench, flight

VIEWS = {"corpus": "Pairs of the corpus", "bench": "Two sentences", "flight": "A text's path"}
COPIES = 100  # as in the paper
_BY_LOGARITHM = "a token is weighted by 1 + the logarithm of its count, so length changes little"


def _why_flat(run: RunFolder) -> str:
    """Explains why repeating changes nothing for a token layer, by how it counts a text's tokens."""
    result = read_result(run)
    why = REPEATS_CHANGE_NOTHING.get((result and result.pooling) or "mean")
    reason = f"{why}, so length changes nothing" if why is not None else _BY_LOGARITHM
    return f"This run's encoder is a bare token-embedding layer: {reason}."


def corpus_section(run: RunFolder) -> None:
    """The histograms, or the button that measures them."""
    result = read_length(run)
    if result is None:
        with measuring_place(run):
            st.write(
                "Short texts of the corpus (its titles, else one sentence per text) are repeated as often as the "
                "encoder can read, and 1,000 random pairs and 1,000 pairs with the same label are compared before "
                "and after. Of an encoder that reads more than 512 tokens, both are lowered to what takes a minute."
            )
            if is_awaited(run, "length", lambda: read_length(run) is not None):
                return
            with st.popover("Advanced"):
                request = choices(run, COPIES, is_first=True)
            job_panel(request, start="Start the length attack", key="length.measure", primary=not is_token(run))
        example()
        return
    if result.pairs:
        attack(run, result)
        offer_elongation(run)
    else:
        st.info("No pair of these texts could be compared, because one text of each has no vector under this encoder.")
    scored_section(run, result.copies)
    with st.expander("Advanced"):
        request = choices(run, result.copies)
        job_panel(request, start="Measure again", key="length.again", primary=False)


def example() -> None:
    """The packaged example's histograms, until there are those of the picked run."""
    run = example_needed(MINI)
    if run is not None and (result := read_length(run)) is not None:
        attack(run, result)


def choices(run: RunFolder, copies: int, *, is_first: bool = False) -> AttackLength:
    """Draws the maximum of copies and the upload of other pairs; returns the request.

    ``is_first``: nothing was measured yet, so that an unchanged number of copies may be lowered for a long context.
    """
    left, right = st.columns(2)
    most = left.number_input("Maximum copies m", 1, 1000, copies, key="length.most")
    given = right.file_uploader(
        "Pairs of a file instead of the corpus's",
        type=["csv", "tsv", "jsonl", "json", "parquet", "xlsx"],
        key="length.pairs",
        help="A table with the columns sentence1 and sentence2.",
    )
    file = None if given is None else PairsFile(path=str(keep_upload(given)), name=given.name)
    return AttackLength(run=run.id, pairs_file=file, settings={} if is_first and most == copies else {"copies": most})


def attack(run: RunFolder, result: LengthFacts) -> None:
    """The answer to the page's question, numbers, the kind of pairs, and the figure.

    Numbers of both encoders: how far similarities move, and whether pairs of one label still stand out; and m.
    """
    st.subheader(escaped(answer(run, result), 300), anchor=False)
    if result.fitted:
        st.caption(escaped(result.fitted, 300))
    row = number_row()
    for encoder, name in (("untouched", word_of_before(run)), ("tuned", "fine-tuned")):
        measured = result.robustness.get(encoder, Robustness())
        row.metric(f"Moved, {name}", "–" if measured.change is None else f"{measured.change:.2f} sd", help=_MOVED)
        before, after = measured.auc_before, measured.auc_after
        if before is not None and after is not None:  # else no two of the texts have one label
            row.metric(f"AUC, {name}", from_to(before, after), help=_AUC)
    copies = result.fitting
    row.metric("Copies m", plain_count(copies.mean), help=f"On average. {copies_sentence(result.copies, copies)}")
    kinds = KINDS if result.same_label is not None else {"random": KINDS["random"]}
    histograms(run, result, one_of("Pairs", kinds, key="length.kind", first="random", is_labelled=False))


def show_length(run: RunFolder) -> None:
    """The pairs of the corpus, two typed sentences, or one text's path on the map."""
    view = view_choice(VIEWS, key="length.view")
    if is_token(run) and view == "corpus":
        offer_layered(run, _why_flat(run), key="length.layered")
    elif is_token(run):
        st.container(border=True).write(_why_flat(run))
    if view == "corpus":
        corpus_section(run)
    elif view == "bench":
        bench(run)
    else:
        flight(run)


KINDS = {"random": "Random pairs", "same_label": "Pairs with the same label"}
_TEXTS = {"titles": "titles", "sentences": "single sentences"}
_MOVED = "Mean change of the cosine, in standard deviations of the random pairs before. 0: length does not matter."
_AUC = (
    "How often a pair with the same label is more similar than a random pair, before → after elongation. 0.5 is "
    "chance. An encoder that gives all texts the same vector does not move either: judge by both numbers."
)


def histograms(run: RunFolder, result: LengthFacts, kind: str) -> None:
    """The figure: untouched and fine-tuned, dotted before elongation, filled after; below it the copies that fit."""
    table = similarities(run.similarities)
    chosen = runs_beside(run, lambda other: _has(other, kind), key="length.beside")
    cosines_beside = {
        name: cosines(similarities(other.similarities), kind=kind, encoder="tuned") for name, other in chosen.items()
    }
    copies = result.of_kind(kind).fitting
    fitting = copies_range(copies)
    untouched = _densities(run, table, kind, fitting, key="length.histograms", others=cosines_beside)
    others = {name: read_length(other) for name, other in chosen.items()}
    other_ms = {name: copies_range(each.of_kind(kind).fitting) for name, each in others.items() if each is not None}
    unlike = [f"{escaped(name)}: {other_copies}" for name, other_copies in other_ms.items() if other_copies != fitting]
    line = f"{pairs_sentence(result, kind)} {copies_sentence(result.copies, copies)}"
    st.caption(f"{line} {'. '.join(unlike)}." if unlike else line)
    with st.expander("The copies m that fit, and every cosine"):
        chart(copies_read(untouched["effective_copies"], dark=is_dark()), key="length.copies")
        csv_download(lambda: table, f"length-{run.id}.csv", "Download every cosine as CSV", key="length.csv")


def _has(run: RunFolder, kind: str) -> bool:
    """Whether its fine-tuned encoder was measured on these pairs."""
    result = read_length(run)
    if result is None or result.tuned is None:
        return False
    return kind == "random" or result.same_label is not None


def pairs_sentence(result: LengthFacts, kind: str) -> str:
    """``1,000 random pairs of titles.``"""
    pairs, texts = result.of_kind(kind).pairs, _TEXTS.get(result.texts, "short texts")
    if result.texts == "given":
        drawn = f"{counted(pairs, 'pair')} of {escaped(result.file or 'a file', 80)}"
    elif kind == "random":
        drawn = f"{counted(pairs, 'random pair')} of {texts}"
    else:
        drawn = f"{counted(pairs, 'pair with the same label', 'pairs with the same label')}, {texts}"
    left_out = result.zero_vectors
    return f"{drawn}; {counted(left_out, 'pair')} left out, because a text has no vector." if left_out else f"{drawn}."


ASKS = "Does the order of scored pairs survive?"


def scored_section(run: RunFolder, copies: int) -> None:
    """Shows whether scored pairs keep their order; collapsed, the choice of a set or the way to add one."""
    scores = read_scored_length(run)
    sets = {info.fingerprint: info for info in list_sets() if "sts" in info.serves}
    if scores is not None:
        _measured(run, scores)
    with st.expander("Measure on other scored pairs" if scores is not None else ASKS):
        if not sets:
            st.write("Add a table with sentence1, sentence2 and score: Evaluate, *Add pairs, queries or candidates*.")
            go_button("Add an evaluation set", "evaluation sets", help="There a set is read once and stored.")
            return
        chosen = st.selectbox(
            "Scored pairs", list(sets), format_func=lambda key: escaped(sets[key].name), key="length.set"
        )
        request = AttackScoredPairs(run=run.id, set=chosen, settings={} if copies == COPIES else {"copies": copies})
        job_panel(request, start="Measure Spearman", key="length.scores", primary=False)


def _densities(
    run: RunFolder, table: pa.Table, kind: str, copies: str, *, key: str, others: Mapping[str, Mapping] | None = None
) -> dict[str, np.ndarray]:
    """Draws the histograms of these pairs, those of ``others`` below; returns the untouched encoder's cosines."""
    untouched, tuned = (cosines(table, kind=kind, encoder=encoder) for encoder in ("untouched", "tuned"))
    figure = similarity_histograms(
        untouched=untouched, tuned=tuned if len(tuned["before"]) else None, copies=copies,
        beginning=word_of_before(run), other_encoders=others, dark=is_dark(),
    )  # fmt: skip
    chart(figure, key=key)
    return untouched


def _measured(run: RunFolder, scores: ScoredLength) -> None:
    names = {"tuned": "fine-tuned", "untouched": word_of_before(run)}
    st.subheader(escaped(scored_pairs_sentence(scores, names), 400), anchor=False)
    if scores.fitted:
        st.caption(escaped(scores.fitted, 300))
    table = scores_table(scores, dict(reversed(names.items())))
    numbers = st.column_config.NumberColumn(format="%.3f")
    formats = dict.fromkeys([name for name in table.column_names if name.startswith("Spearman")], numbers)
    show_table(table, alt="Spearman's correlation for each way to repeat, one per row.", formats=formats)
    tuned = scores.encoders["tuned"]
    fitting = f"m = {tuned.effective_copies.min} … {tuned.effective_copies.max}"
    which = f"Pairs of {escaped(scores.set, 60)}, every text repeated {fitting} times"
    scored = similarities(run.scored_similarities)
    if "untouched" in scored["encoder"].to_pylist():  # else no pair has vectors under it
        _densities(run, scored, SCORED, which, key="length.scored")
    empty = tuned.zero_vectors
    left_out = f" Without a vector, so counted as least similar: {count(empty)}." if empty else ""
    st.caption(
        f"Spearman of the cosine with the scores of {count(tuned.pairs)} pairs of {escaped(scores.set)}."
        f"{left_out} {fitting} copies, as many as fit."
    )
