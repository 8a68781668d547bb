"""Curves of one run: kNN accuracy between the reference lines, the loss, a diagnostic, memory and processor."""

from collections.abc import Mapping, Sequence
from typing import TypedDict, Unpack

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from embedlab.baseline_methods import REFERENCE_LINES, baseline_title
from embedlab.counting import WORDS
from embedlab.figures.frame import EndLabel, add_band, add_end_labels, add_line, framed, share_axis
from embedlab.measurement import CurvePoint
from embedlab.numbers import accuracy, counted, gigabytes, percent
from embedlab.palette import ACCENT, QUIET_INK, REFERENCE, UNTOUCHED, Shades, shade
from embedlab.plain_text import plain

X_AXES = {"step": "steps", "texts": "texts seen", "seconds": "seconds"}
_SHORT = 0.06  # of the axis: how long a reference is drawn that was not measured on the texts of the line


def knn_curve(
    rows: Sequence[CurvePoint],
    *,
    marks: Sequence[CurvePoint] = (),
    references: Mapping[str, float] | None = None,
    reference_marks: Mapping[str, float] | None = None,
    counted: str = WORDS,
    by: str = "",
    x: str = "step",
    total: float | None = None,
    kept_step: int | None = None,
    smoothing: float = 0.0,
    identity: str = "",
    dark: bool = False,
) -> go.Figure:
    """kNN accuracy over a run, measured with one distance; ``by`` names it (``by cosine``).

    ``rows`` are all measured on the same texts, as are ``references``: ``{"tfidf": .60, "svd": .624}``, which count
    words unless ``counted`` says more. ``marks`` and ``reference_marks`` are of all test texts, which the line is not:
    diamonds, and short lines at the end.
    ``kept_step``: the step whose encoder is reported where it is not the last one; it gets a ring. ``total`` is where
    x will end; ``identity`` (the run's id) keeps the reader's zoom while rows are added. ``smoothing`` (0 … 1): see
    ``smoothed``; what is written at the line's end is what was measured last.
    """
    references, reference_marks = references or {}, reference_marks or {}
    accent, figure = shade(ACCENT, dark), go.Figure()
    add_band(figure, [row.at(x) for row in rows], [row.knn for row in rows], [row.error for row in rows], accent)
    add_line(figure, [row.at(x) for row in rows], [row.knn for row in rows], colour=accent, weight=smoothing,
             name="kNN accuracy", hoverinfo="skip")  # fmt: skip
    dots = dict(color=[shade(UNTOUCHED, dark) if row.at(x) == 0 else accent for row in rows], size=5)
    _add_points(figure, rows, x, dots, f"{_tested(rows):,} test texts")
    colours = [shade(UNTOUCHED, dark) if row.at(x) == 0 else accent for row in marks]
    all_of_them = f"all {_tested(marks):,} test texts"
    _add_points(figure, marks, x, dict(color=colours, size=12, symbol="diamond"), all_of_them, shade(QUIET_INK, dark))
    reported = [row for row in rows if row.step == kept_step]
    if reported:
        _add_points(figure, reported, x, dict(symbol="circle-open", color=accent, size=15, line_width=2), "kept")
    end = max([total or 0, *(row.at(x) for row in (*rows, *marks))]) or 1
    labels = add_references(figure, references, reference_marks, end, all_of_them, shade(REFERENCE, dark), counted)
    if rows:
        labels.append(EndLabel(f"<b>kNN {percent(rows[-1].knn)}</b>", rows[-1].knn, accent))
    if reported and reported[-1] is not rows[-1]:
        labels.append(EndLabel(f"kept: {percent(reported[-1].knn)}", reported[-1].knn, accent))
    if len(marks) > 1:
        labels.append(EndLabel(f"{all_of_them} {percent(marks[-1].knn)}", marks[-1].knn, accent))
    errors = [sign * row.error + row.knn for row in (*rows, *marks) for sign in (-1, 1)]
    name = f"kNN accuracy {by}".strip()
    framed(
        figure, title=live_title(name, rows), x=X_AXES[x], y="kNN accuracy",
        alt=_alt(name, rows, marks, references, counted), dark=dark,
    )  # fmt: skip
    low, high = share_axis(figure, [*errors, *references.values(), *reference_marks.values()])
    _span(figure, end, f"{identity}/{x}")
    add_end_labels(figure, labels, low=low, high=high)
    return figure


def live_title(name: str, rows: Sequence[CurvePoint]) -> str:
    """``kNN accuracy (cosine) while training, 150 test texts``: another number than the run's result."""
    tested = f", {_tested(rows):,} test texts" if _tested(rows) else ""
    return f"{name} while training{tested}"


class CurveView(TypedDict, total=False):
    """How a curve is drawn, whatever it shows; each as in ``knn_curve``."""

    x: str
    total: float | None
    smoothing: float
    identity: str
    dark: bool


def loss_curve(rows: Sequence[Mapping], **view: Unpack[CurveView]) -> go.Figure:
    """The loss over a run; rows: ``{"step", "texts", "seconds", "loss"}``."""
    rows = [row for row in rows if row.get("loss") is not None]
    alt = f"Loss {rows[-1]['loss']:.3f} after {_count_steps(rows[-1]['step'])}." if rows else "No loss yet."
    trace = dict(name="loss", hovertemplate="%{x:,}: loss %{y:.3f}<extra></extra>")
    return _one_line(rows, "loss", trace, title="Loss", y="loss", alt=alt, shades=QUIET_INK, height=240, **view)


def diagnostic_curve(rows: Sequence[Mapping], name: str, title: str, **view: Unpack[CurveView]) -> go.Figure:
    """A cheap diagnostic over a run; rows: ``{"step", "texts", "seconds", name}``."""
    rows = [row for row in rows if row.get(name) is not None]
    alt = f"No {title.lower()} yet."
    if rows:
        alt = f"{title} from {rows[0][name]:.3g} to {rows[-1][name]:.3g} after {_count_steps(rows[-1]['step'])}."
    trace = dict(name=title, mode="lines+markers", hovertemplate="%{x:,}: %{y:.4g}<extra></extra>")
    return _one_line(rows, name, trace, title=f"{title} while training", y=title.lower(), alt=alt, shades=ACCENT,
                     height=280, **view)  # fmt: skip


def _count_steps(steps: int) -> str:
    return counted(steps, "step")


def _one_line(
    rows: Sequence[Mapping], name: str, trace: dict[str, str], *, title: str, y: str, alt: str, shades: Shades,
    height: int, x: str = "step", total: float | None = None, smoothing: float = 0.0, identity: str = "",
    dark: bool = False,
) -> go.Figure:  # fmt: skip
    """The number ``name`` of each row, as one line that looks like ``trace``."""
    figure, places = go.Figure(), [row[x] for row in rows]
    add_line(figure, places, [row[name] for row in rows], colour=shade(shades, dark), weight=smoothing, **trace)
    framed(figure, title=title, x=X_AXES[x], y=y, alt=alt, dark=dark, height=height)
    return _span(figure, max([total or 0, *places]) or 1, f"{identity}/{x}")


def _span(figure: go.Figure, end: float, identity: str) -> go.Figure:
    """The figure with an x axis from 0 to ``end``, whose zoom is kept while ``identity`` stays the same."""
    figure.update_xaxes(range=[-0.015 * end, 1.015 * end], tickformat=",")
    return figure.update_layout(showlegend=False, uirevision=identity, hovermode="x")


def add_references(
    figure: go.Figure,
    lines: Mapping[str, float],
    marks: Mapping[str, float],
    end: float,
    all_of_them: str,
    colour: str,
    counted: str,
) -> list[EndLabel]:
    """Draw TF-IDF and SVD across the plot, and at its right end short ``marks`` for values over all test texts."""
    for key, value in lines.items():
        figure.add_hline(y=value, line=dict(color=colour, width=1.5, dash=REFERENCE_LINES[key].dash))
    for key, value in marks.items():
        whole = f"{baseline_title(key, counted)}, {all_of_them}"
        figure.add_scatter(
            x=[(1 - _SHORT) * end, end], y=[value, value], mode="lines", name=whole, line=dict(color=colour, width=3),
            showlegend=False, hovertemplate="%{y:.1%}<br>" + plain(whole) + "<extra></extra>",
        )  # fmt: skip
    named = (lines or marks).items()
    return [EndLabel(f"{baseline_title(key, counted)} {percent(value)}", value, colour) for key, value in named]


def _add_points(
    figure: go.Figure, rows: Sequence[CurvePoint], x: str, marker: dict, how: str, errors: str = ""
) -> None:
    """The measured values; ``errors`` is the colour of their error bars, if any."""
    spread = [row.error for row in rows]
    figure.add_scatter(
        x=[row.at(x) for row in rows], y=[row.knn for row in rows], mode="markers", marker=marker, name=how,
        cliponaxis=False, error_y=dict(array=spread, color=errors or None, visible=bool(errors), thickness=1.5),
        customdata=[100 * error for error in spread],
        hovertemplate="%{x:,}: %{y:.1%} ± %{customdata:.1f}<br>" + plain(how) + "<extra></extra>",
    )  # fmt: skip


def _tested(rows: Sequence[CurvePoint]) -> int:
    return rows[-1].test_texts if rows else 0


def _alt(
    name: str, rows: Sequence[CurvePoint], marks: Sequence[CurvePoint], references: Mapping[str, float], counted: str
) -> str:
    if not rows:
        return "No kNN accuracy measured yet."
    sentence = (
        f"{name} {percent(rows[0].knn)} at the start, "
        f"{accuracy(rows[-1].knn, rows[-1].error)} after {_count_steps(rows[-1].step)}"
    )
    comparisons = [f"{baseline_title(key, counted)} {percent(value)}" for key, value in references.items()]
    if len(marks) > 1:
        comparisons.append(f"on all {_tested(marks):,} test texts {percent(marks[-1].knn)}")
    return "; ".join([sentence, ", ".join(comparisons)] if comparisons else [sentence]) + "."


X_NAMES = {"step": "Steps", "texts": "Texts", "seconds": "Seconds"}


def resources_curve(
    *,
    seconds: Sequence[float],
    memory: Sequence[float],
    cores: Sequence[float],
    gpu_memory: Sequence[float] = (),
    stages: Sequence[str] = (),
    of_cores: int | None = None,
    identity: str = "",
    dark: bool = False,
) -> go.Figure:
    """``memory`` and ``gpu_memory`` in bytes and ``cores`` in use, each sampled at ``seconds`` of work; ``stages`` of
    the run.

    ``of_cores``: how many this computer has, as a dotted line.
    """
    figure = make_subplots(2, 1, shared_xaxes=True, vertical_spacing=0.12)
    named = [plain(stage, 60) for stage in stages] or [""] * len(seconds)
    lines = [("memory", [each / 1e9 for each in memory], ACCENT, 1, "%{y:.2f} GB of memory")]
    if gpu_memory:
        lines.append(("GPU memory", [each / 1e9 for each in gpu_memory], REFERENCE, 1, "%{y:.2f} GB on the GPU"))
    lines.append(("cores", list(cores), QUIET_INK, 2, "%{y:.1f} cores"))
    for name, values, shades, row, template in lines:
        figure.add_scatter(
            x=list(seconds), y=values, mode="lines", name=name, line=dict(color=shade(shades, dark), width=2),
            customdata=named, showlegend=bool(gpu_memory) and row == 1,
            hovertemplate="%{x:,.0f} s: " + template + "<br>%{customdata}<extra></extra>", row=row, col=1,
        )  # fmt: skip
    if of_cores:
        figure.add_hline(y=of_cores, line=dict(color=shade(QUIET_INK, dark), width=1, dash="dot"), row=2, col=1)
    most = f"up to {gigabytes(max(memory))} of memory" + (
        f", {gigabytes(max(gpu_memory))} on the GPU" if gpu_memory else ""
    )
    mean = sum(cores) / len(cores)
    alt = f"The run took {most}, and {mean:.1f} cores on average, over {seconds[-1]:,.0f} seconds of work."
    framed(figure, title="Memory and processor", x="seconds of work", y="", alt=alt, dark=dark, height=340)
    figure.update_xaxes(title_text="", row=1, col=1)
    figure.update_xaxes(tickformat=",")
    figure.update_yaxes(rangemode="tozero")
    figure.update_yaxes(title_text="GB", row=1, col=1)
    figure.update_yaxes(title_text="cores in use", row=2, col=1)
    figure.update_layout(uirevision=identity, hovermode="x", legend=dict(x=1.01, y=1))
    return figure
