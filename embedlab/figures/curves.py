"""How a run went: kNN accuracy with its binomial band between the reference lines, and the loss."""

import math
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from embedlab.figures.frame import EndLabel, add_end_labels, framed, see_through, share_range
from embedlab.figures.palette import ACCENT, QUIET_INK, REFERENCE, UNTOUCHED, shade
from embedlab.figures.text import accuracy, percent, plain

X_AXES = {"step": "steps", "texts": "texts seen", "seconds": "seconds"}
REFERENCE_DASHES = {"tfidf": ("TF-IDF", "dash"), "svd": ("TF-IDF → SVD-100", "dot")}
_SHORT = 0.06  # of the axis: how long a reference is drawn that was not measured on the texts of the line


def knn_curve(
    rows: Sequence[Mapping],
    *,
    marks: Sequence[Mapping] = (),
    references: Mapping[str, float] | None = None,
    reference_marks: Mapping[str, float] | None = None,
    by: str = "",
    x: str = "step",
    total: float | None = None,
    identity: str = "",
    dark: bool = False,
) -> go.Figure:
    """kNN accuracy over a run, by one distance: ``by`` says which (``by cosine``).

    ``rows``: ``{"step", "texts", "seconds", "knn", "test_texts"}``, all measured on the same texts, as are
    ``references``: ``{"tfidf": .60, "svd": .624}``. ``marks`` (rows) and ``reference_marks`` are of all test texts,
    which the line is not: diamonds, and short lines at the end. ``total`` is where x will end; ``identity`` (the
    run's id) keeps the reader's zoom while rows are added.
    """
    references, reference_marks = references or {}, reference_marks or {}
    accent, amber, figure = shade(ACCENT, dark), shade(REFERENCE, dark), go.Figure()
    _add_band(figure, rows, x, accent)
    figure.add_scatter(
        x=[row[x] for row in rows], y=[row["knn"] for row in rows], mode="lines", name="kNN accuracy",
        line=dict(color=accent, width=2), hoverinfo="skip",
    )  # fmt: skip
    dots = dict(color=[shade(UNTOUCHED, dark) if row[x] == 0 else accent for row in rows], size=5)
    _add_points(figure, rows, x, dots, f"{_tested(rows):,} test texts")
    colours = [shade(UNTOUCHED, dark) if row[x] == 0 else accent for row in marks]
    all_of_them = f"all {_tested(marks):,} test texts"
    _add_points(figure, marks, x, dict(color=colours, size=12, symbol="diamond"), all_of_them, shade(QUIET_INK, dark))
    end = max([total or 0, *(row[x] for row in (*rows, *marks))]) or 1
    for key, value in references.items():
        figure.add_hline(y=value, line=dict(color=amber, width=1.5, dash=REFERENCE_DASHES[key][1]))
    add_reference_marks(figure, reference_marks, end, all_of_them, amber)
    named = references or reference_marks
    labels = [EndLabel(f"{REFERENCE_DASHES[key][0]} {percent(value)}", value, amber) for key, value in named.items()]
    if rows:
        labels.append(EndLabel(f"<b>kNN {percent(rows[-1]['knn'])}</b>", rows[-1]["knn"], accent))
    if len(marks) > 1:
        labels.append(EndLabel(f"{all_of_them} {percent(marks[-1]['knn'])}", marks[-1]["knn"], accent))
    errors = [sign * standard_error(row) + row["knn"] for row in (*rows, *marks) for sign in (-1, 1)]
    low, high = share_range([*errors, *references.values(), *reference_marks.values()] or [0, 1])
    name = f"kNN accuracy {by}".strip()
    framed(
        figure, title=f"{name} while training", x=X_AXES[x], y="kNN accuracy",
        alt=_alt(name, rows, marks, references), dark=dark,
    )  # fmt: skip
    figure.update_yaxes(tickformat=".0%" if high - low > 0.04 else ".1%", range=[low, high])
    figure.update_xaxes(range=[-0.015 * end, 1.015 * end], tickformat=",")
    figure.update_layout(showlegend=False, uirevision=f"{identity}/{x}", hovermode="x")
    add_end_labels(figure, labels, low=low, high=high)
    return figure


def loss_curve(
    rows: Sequence[Mapping], *, x: str = "step", total: float | None = None, identity: str = "", dark: bool = False
) -> go.Figure:
    """The loss over a run; rows: ``{"step", "texts", "seconds", "loss"}``."""
    rows = [row for row in rows if row.get("loss") is not None]
    figure = go.Figure()
    figure.add_scatter(
        x=[row[x] for row in rows], y=[row["loss"] for row in rows], mode="lines", name="loss",
        line=dict(color=shade(QUIET_INK, dark), width=2), hovertemplate="%{x:,}: loss %{y:.3f}<extra></extra>",
    )  # fmt: skip
    alt = f"Loss {rows[-1]['loss']:.3f} after {rows[-1]['step']:,} steps." if rows else "No loss yet."
    framed(figure, title="Loss", x=X_AXES[x], y="loss", alt=alt, dark=dark, height=240)
    end = max([total or 0, *(row[x] for row in rows)]) or 1
    figure.update_xaxes(range=[-0.015 * end, 1.015 * end], tickformat=",")
    figure.update_layout(showlegend=False, uirevision=f"{identity}/{x}", hovermode="x")
    return figure


def add_reference_marks(
    figure: go.Figure, marks: Mapping[str, float], end: float, all_of_them: str, colour: str
) -> None:
    """Short lines before the end: references on all test texts, which the lines are not measured on."""
    for key, value in marks.items():
        whole = f"{REFERENCE_DASHES[key][0]}, {all_of_them}"
        figure.add_scatter(
            x=[(1 - _SHORT) * end, end], y=[value, value], mode="lines", name=whole, line=dict(color=colour, width=3),
            showlegend=False, hovertemplate="%{y:.1%}<br>" + plain(whole) + "<extra></extra>",
        )  # fmt: skip


def standard_error(row: Mapping) -> float:
    """The binomial standard error of a measured accuracy; 0 where the number of test texts is not known."""
    tested = row.get("test_texts") or 0
    return math.sqrt(row["knn"] * (1 - row["knn"]) / tested) if tested else 0.0


def _add_band(figure: go.Figure, rows: Sequence[Mapping], x: str, colour: str) -> None:
    """One standard error up and down, as a closed shape."""
    errors = [standard_error(row) for row in rows]
    upper = [row["knn"] + error for row, error in zip(rows, errors, strict=True)]
    lower = [row["knn"] - error for row, error in zip(rows, errors, strict=True)]
    along = [row[x] for row in rows]
    figure.add_scatter(
        x=along + along[::-1], y=upper + lower[::-1], fill="toself", fillcolor=see_through(colour, 0.14),
        mode="none", name="± standard error", hoverinfo="skip",
    )  # fmt: skip


def _add_points(figure: go.Figure, rows: Sequence[Mapping], x: str, marker: dict, how: str, errors: str = "") -> None:
    """The measured values; ``errors`` is the colour of their error bars, if any."""
    spread = [standard_error(row) for row in rows]
    figure.add_scatter(
        x=[row[x] for row in rows], y=[row["knn"] for row in rows], mode="markers", marker=marker, name=how,
        cliponaxis=False, error_y=dict(array=spread, color=errors or None, visible=bool(errors), thickness=1.5),
        customdata=[100 * error for error in spread],
        hovertemplate="%{x:,}: %{y:.1%} ± %{customdata:.1f}<br>" + plain(how) + "<extra></extra>",
    )  # fmt: skip


def _tested(rows: Sequence[Mapping]) -> int:
    return int(rows[-1].get("test_texts") or 0) if rows else 0


def _alt(name: str, rows: Sequence[Mapping], marks: Sequence[Mapping], references: Mapping[str, float]) -> str:
    if not rows:
        return "No kNN accuracy measured yet."
    said = (
        f"{name} {percent(rows[0]['knn'])} at the start, "
        f"{accuracy(rows[-1]['knn'], standard_error(rows[-1]))} after {rows[-1]['step']:,} steps"
    )
    beside = [f"{REFERENCE_DASHES[key][0]} {percent(value)}" for key, value in references.items()]
    if len(marks) > 1:
        beside.append(f"on all {_tested(marks):,} test texts {percent(marks[-1]['knn'])}")
    return "; ".join([said, ", ".join(beside)] if beside else [said]) + "."
