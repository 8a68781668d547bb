"""kNN accuracy of one corpus across the phases of several runs (as crops paper, Figure 4)."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from embedlab.figures.frame import DIRECT_LABELS, EndLabel, add_end_labels, framed, share_axis
from embedlab.figures.palette import ACCENT, QUIET_INK, categorical, shade, text_shade
from embedlab.figures.text import percent, plain

_DASHES = ["solid", "dash", "dot", "dashdot", "longdash"]


def phases_curve(lines: Sequence[Mapping], *, corpus: str, by: str = "", dark: bool = False) -> go.Figure:
    """``lines``: ``{"name", "phases": [rows, …]}``; rows ``{"step", "knn"}``, steps counted on from phase to phase.

    Lines of one name have one colour and one entry: they are seeds. A later phase is drawn fully, an earlier one thin,
    and where it begins stands a ring.
    """
    names = list(dict.fromkeys(line["name"] for line in lines))
    shades = dict(zip(names, categorical(len(names)) if len(names) > 1 else [ACCENT], strict=True))
    figure, labels, values, ends = go.Figure(), {}, [], []
    for line in lines:
        colour, name = shade(shades[line["name"]], dark), plain(line["name"], 32)
        phases = [rows for rows in line["phases"] if rows]
        for number, rows in enumerate(phases, start=1):
            is_last = number == len(phases)
            figure.add_scatter(
                x=[row["step"] for row in rows], y=[row["knn"] for row in rows], mode="lines", name=name,
                legendgroup=name, showlegend=is_last and line["name"] not in labels,
                line=dict(color=colour, width=2.5 if is_last else 1.5,
                          dash=_DASHES[names.index(line["name"]) % len(_DASHES)]),
                hovertemplate=f"{name}, phase {number} of {len(phases)}<br>%{{x:,}} steps: %{{y:.1%}}<extra></extra>",
            )  # fmt: skip
            values += [row["knn"] for row in rows]
            if number > 1:
                figure.add_scatter(
                    x=[rows[0]["step"]], y=[rows[0]["knn"]], mode="markers", showlegend=False, hoverinfo="skip",
                    legendgroup=name, marker=dict(color=colour, size=10, symbol="circle-open", line_width=2),
                )  # fmt: skip
        if phases:
            last = phases[-1][-1]
            ends.append(last["step"])
            said = f"{plain(line['name'], 24)} {percent(last['knn'])}"
            labels.setdefault(line["name"], EndLabel(said, last["knn"], text_shade(shades[line["name"]], dark)))
    measured = f"kNN accuracy {by}".strip()
    framed(figure, title=f"{measured} of {plain(corpus)}, phase after phase", x="steps of all phases",
           y="kNN accuracy", alt=_alt(measured, corpus, labels), dark=dark)  # fmt: skip
    low, high = share_axis(figure, values)
    end = max(ends, default=1)
    figure.update_xaxes(tickformat=",", range=[-0.015 * end, 1.015 * end], color=shade(QUIET_INK, dark))
    direct = len(labels) <= DIRECT_LABELS
    figure.update_layout(showlegend=not direct, legend=dict(x=1.01, y=1))
    if direct:
        add_end_labels(figure, list(labels.values()), low=low, high=high)
    return figure


def _alt(measured: str, corpus: str, labels: Mapping[str, EndLabel]) -> str:
    said = "; ".join(label.text for label in labels.values()) or "nothing measured yet"
    return f"{measured} of {corpus} at the end of the last phase: {said}."
