"""How a run went: kNN accuracy with its binomial band between the reference lines, and the loss."""

import math
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from embedlab.figures.frame import EndLabel, add_end_labels, framed, see_through, y_range
from embedlab.figures.palette import ACCENT, QUIET_INK, REFERENCE, UNTOUCHED, shade
from embedlab.figures.text import percent, plain

X_AXES = {"step": "steps", "texts": "texts seen", "seconds": "seconds"}
REFERENCE_DASHES = {"tfidf": ("TF-IDF", "dash"), "svd": ("TF-IDF → SVD-100", "dot")}


def knn_curve(
    rows: Sequence[Mapping],
    *,
    references: Mapping[str, float] | None = None,
    x: str = "step",
    total: float | None = None,
    title: str = "kNN accuracy while training",
    identity: str = "",
    dark: bool = False,
) -> go.Figure:
    """kNN accuracy over a run.

    ``rows``: ``{"step", "texts", "seconds", "knn", "test_texts", "full"}``; ``full`` marks the first and last values,
    measured by the full protocol on all test texts (diamonds); the others come from the live sample (the line).
    ``references``: ``{"tfidf": .60, "svd": .624}``. ``total`` is where x will end; ``identity`` (the run's id) keeps
    the reader's zoom while rows are added.
    """
    rows = [row for row in rows if row.get("knn") is not None]
    references = references or {}
    accent, figure = shade(ACCENT, dark), go.Figure()
    live, full = [row for row in rows if not row.get("full")], [row for row in rows if row.get("full")]
    line = live if len(live) > 1 else rows
    _add_band(figure, line, x, accent)
    figure.add_scatter(
        x=[row[x] for row in line], y=[row["knn"] for row in line], mode="lines", name="kNN accuracy",
        line=dict(color=accent, width=2), hoverinfo="skip",
    )  # fmt: skip
    _add_points(figure, live, x, dict(color=accent, size=5), f"live sample of {_tested(live):,} test texts")
    colours = [shade(UNTOUCHED, dark) if row[x] == 0 else accent for row in full]
    diamonds = dict(color=colours, size=12, symbol="diamond")
    _add_points(figure, full, x, diamonds, f"all {_tested(full):,} test texts", shade(QUIET_INK, dark))

    amber = shade(REFERENCE, dark)
    labels = []
    for key, value in references.items():
        name, dash = REFERENCE_DASHES[key]
        figure.add_hline(y=value, line=dict(color=amber, width=1.5, dash=dash))
        labels.append(EndLabel(f"{name} {percent(value)}", value, amber))
    if rows:
        labels.append(EndLabel(f"<b>kNN {percent(rows[-1]['knn'])}</b>", rows[-1]["knn"], accent))
    errors = [standard_error(row) for row in rows]
    edges = [row["knn"] + sign * error for row, error in zip(rows, errors, strict=True) for sign in (-1, 1)]
    low, high = y_range([*edges, *references.values()] or [0, 1])
    framed(figure, title=title, x=X_AXES[x], y="kNN accuracy", alt=_alt(rows, references), dark=dark)
    figure.update_yaxes(tickformat=".0%" if high - low > 0.04 else ".1%", range=[low, high])
    end = max([total or 0, *(row[x] for row in rows)]) or 1
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
        error_y=dict(array=spread, color=errors or None, visible=bool(errors), thickness=1.5),
        customdata=[100 * error for error in spread],
        hovertemplate="%{x:,}: %{y:.1%} ± %{customdata:.1f}<br>" + plain(how) + "<extra></extra>",
    )  # fmt: skip


def _tested(rows: Sequence[Mapping]) -> int:
    return int(rows[-1].get("test_texts") or 0) if rows else 0


def _alt(rows: Sequence[Mapping], references: Mapping[str, float]) -> str:
    if not rows:
        return "No kNN accuracy measured yet."
    beside = ", ".join(f"{REFERENCE_DASHES[key][0]} {percent(value)}" for key, value in references.items())
    return (
        f"kNN accuracy {percent(rows[0]['knn'])} at the start, {percent(rows[-1]['knn'])} ± "
        f"{100 * standard_error(rows[-1]):.1f} after {rows[-1]['step']:,} steps" + (f"; {beside}." if beside else ".")
    )
