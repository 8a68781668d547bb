"""Several runs in one picture: their kNN curves over steps, texts or seconds, or over the phases of each run."""

from collections.abc import Collection, Mapping, Sequence

import plotly.graph_objects as go

from embedlab.counting import WORDS
from embedlab.figures.curves import X_AXES, add_references
from embedlab.figures.frame import DIRECT_LABELS, EndLabel, add_end_labels, add_line, framed, share_axis
from embedlab.measurement import CurvePoint
from embedlab.numbers import percent
from embedlab.palette import ACCENT, QUIET_INK, REFERENCE, UNTOUCHED, Shades, categorical, shade, text_shade
from embedlab.plain_text import plain, shortened

_DASHES = ["solid", "dash", "dot", "dashdot", "longdash"]
_NAME_LENGTH = 24


def overlaid_curves(
    runs: Sequence[tuple[str, Sequence[CurvePoint], Sequence[CurvePoint]]],
    *,
    x: str = "step",
    references: Mapping[str, float] | None = None,
    reference_marks: Mapping[str, float] | None = None,
    counted: str = WORDS,
    grey: Collection[int] = (),
    by: str = "",
    smoothing: float = 0.0,
    identity: str = "",
    dark: bool = False,
) -> go.Figure:
    """``runs``: name, line and marks of each as in ``knn_curve``, measured with one distance; ``by`` names it.

    ``references`` where all lines are measured on the same texts, ``reference_marks`` of all test texts at the end. A
    run without a kNN accuracy keeps its colour and is not drawn; ``grey``: which runs are not to be read against the
    others; ``identity`` keeps the reader's zoom; ``smoothing`` (0 … 1): see ``smoothed``.
    """
    references, reference_marks = references or {}, reference_marks or {}
    figure, labels, endings, values = go.Figure(), [], [], [*references.values(), *reference_marks.values()]
    end = 0.0
    for position, ((name, *both), shades) in enumerate(zip(runs, categorical(len(runs)), strict=True)):
        shades = UNTOUCHED if position in grey else shades
        line, marks = (sorted(points, key=lambda point: point.at(x)) for points in both)
        if not line and not marks:
            continue
        _add_run(figure, line, marks, x, name=plain(name, _NAME_LENGTH), dash=_DASHES[position % len(_DASHES)],
                 shades=shades, smoothing=smoothing, dark=dark)  # fmt: skip
        ended = (marks or line)[-1].knn
        endings.append(f"{shortened(name, _NAME_LENGTH)} {percent(ended)}")
        labels.append(EndLabel(plain(endings[-1]), ended, text_shade(shades, dark)))
        values += [point.knn for point in (*line, *marks)]
        end = max(end, *(point.at(x) for point in (*line, *marks)))
    end = end or 1
    measured = f"kNN accuracy {by}".strip()
    alt = f"Last {measured}: {'; '.join(endings)}." if endings else "None of these runs has a kNN accuracy yet."
    framed(figure, title=f"{measured} of the runs while training", x=X_AXES[x], y="kNN accuracy", alt=alt, dark=dark)
    labels += add_references(
        figure, references, reference_marks, end, "all test texts", shade(REFERENCE, dark), counted
    )
    low, high = share_axis(figure, values)
    figure.update_xaxes(tickformat=",", range=[-0.015 * end, 1.015 * end])
    direct = len(endings) <= DIRECT_LABELS
    figure.update_layout(showlegend=not direct, legend=dict(x=1.01, y=1), uirevision=f"{identity}/{x}")
    if direct:
        add_end_labels(figure, labels, low=low, high=high)
    return figure


def race_curves(
    lines: Sequence[tuple[str, Sequence[float], Sequence[float]]],
    *,
    grey: Sequence[tuple[str, Sequence[float], Sequence[float]]] = (),
    end: float,
    references: Mapping[str, float] | None = None,
    counted: str = WORDS,
    by: str = "",
    alt: str,
    dark: bool = False,
) -> go.Figure:
    """``lines``: name, seconds and shares of each run; trace i is the whole of line i, which the browser reveals over
    time.

    ``grey`` lines follow: shown beside the race, not part of it. The axes are those of the end from the first moment,
    so that nothing moves but the lines.
    """
    figure, values = go.Figure(), list((references or {}).values())
    shaded = [*categorical(len(lines)), *[UNTOUCHED] * len(grey)]
    for position, ((name, seconds, knn), shades) in enumerate(zip([*lines, *grey], shaded, strict=True)):
        colour = shade(shades, dark)
        figure.add_scatter(
            x=list(seconds), y=list(knn), mode="lines+markers", name=plain(name, _NAME_LENGTH), showlegend=False,
            cliponaxis=False, line=dict(color=colour, width=2.5, dash=_DASHES[position % len(_DASHES)]),
            marker=dict(color=colour, size=5), hovertemplate="%{x:.1f} s: %{y:.1%}",
        )  # fmt: skip
        values += knn
    framed(figure, title=f"kNN accuracy {by}".strip(), x="seconds of training", y="kNN accuracy", alt=alt, dark=dark)
    labels = add_references(figure, references or {}, {}, end, "", shade(REFERENCE, dark), counted)
    low, high = share_axis(figure, values)
    figure.update_xaxes(range=[-0.015 * end, 1.015 * end])
    figure.update_layout(showlegend=False, uirevision=f"race/{end}")
    add_end_labels(figure, labels, low=low, high=high)
    return figure


def _add_run(
    figure: go.Figure, line: Sequence[CurvePoint], marks: Sequence[CurvePoint], x: str, *, name: str, dash: str,
    shades: Shades, smoothing: float, dark: bool,
) -> None:  # fmt: skip
    """Draw the run's line, and as diamonds the values over all test texts where the line is measured on a sample."""
    colour = shade(shades, dark)
    add_line(figure, [point.at(x) for point in line], [point.knn for point in line], colour=colour, weight=smoothing,
             line=dict(dash=dash), name=name, legendgroup=name,
             hovertemplate=f"%{{x:,}} {X_AXES[x]}: %{{y:.1%}}")  # fmt: skip
    figure.add_scatter(
        x=[point.at(x) for point in marks], y=[point.knn for point in marks], mode="markers",
        name=f"{name}, all test texts", legendgroup=name, showlegend=False, cliponaxis=False,
        marker=dict(color=colour, size=11, symbol="diamond", line_width=0),
        customdata=[100 * point.error for point in marks],
        hovertemplate=f"%{{x:,}} {X_AXES[x]}: %{{y:.1%}} ± %{{customdata:.1f}}",
    )  # fmt: skip


def phases_curve(
    lines: Sequence[tuple[str, Sequence[Sequence[CurvePoint]]]], *, corpus: str, by: str = "", dark: bool = False
) -> go.Figure:
    """``lines``: a name and its phases, whose steps continue from phase to phase.

    Lines of one name have one colour and one entry: they are seeds. A later phase is drawn fully, an earlier one thin,
    and where it begins stands a ring.
    """
    names = list(dict.fromkeys(name for name, _ in lines))
    shades = dict(zip(names, categorical(len(names)) if len(names) > 1 else [ACCENT], strict=True))
    figure, values, ends = go.Figure(), [], []
    labels: dict[str, EndLabel] = {}
    for whole_name, its_phases in lines:
        colour, name = shade(shades[whole_name], dark), plain(whole_name, 32)
        phases = [points for points in its_phases if points]
        for number, points in enumerate(phases, start=1):
            is_last = number == len(phases)
            figure.add_scatter(
                x=[point.step for point in points], y=[point.knn for point in points], mode="lines", name=name,
                legendgroup=name, showlegend=is_last and whole_name not in labels,
                line=dict(color=colour, width=2.5 if is_last else 1.5,
                          dash=_DASHES[names.index(whole_name) % len(_DASHES)]),
                hovertemplate=f"{name}, phase {number} of {len(phases)}<br>%{{x:,}} steps: %{{y:.1%}}<extra></extra>",
            )  # fmt: skip
            values += [point.knn for point in points]
            if number > 1:
                figure.add_scatter(
                    x=[points[0].step], y=[points[0].knn], mode="markers", showlegend=False, hoverinfo="skip",
                    legendgroup=name, marker=dict(color=colour, size=10, symbol="circle-open", line_width=2),
                )  # fmt: skip
        if phases:
            last = phases[-1][-1]
            ends.append(last.step)
            ending = f"{plain(whole_name, 24)} {percent(last.knn)}"
            labels.setdefault(whole_name, EndLabel(ending, last.knn, text_shade(shades[whole_name], dark)))
    measured = f"kNN accuracy {by}".strip()
    endings = "; ".join(label.text for label in labels.values()) or "nothing measured yet"
    alt = f"{measured} of {corpus} at the end of the last phase: {endings}."
    framed(figure, title=f"{measured} of {plain(corpus)}, phase after phase", x="steps of all phases",
           y="kNN accuracy", alt=alt, dark=dark)  # fmt: skip
    low, high = share_axis(figure, values)
    end = max(ends, default=1)
    figure.update_xaxes(tickformat=",", range=[-0.015 * end, 1.015 * end], color=shade(QUIET_INK, dark))
    direct = len(labels) <= DIRECT_LABELS
    figure.update_layout(showlegend=not direct, legend=dict(x=1.01, y=1))
    if direct:
        add_end_labels(figure, list(labels.values()), low=low, high=high)
    return figure
