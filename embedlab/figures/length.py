"""How elongation changes similarity: histograms before and after, two repeated texts, and gains by text length."""

from collections.abc import Iterable, Mapping, Sequence
from math import log10
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from embedlab.figures.frame import EndLabel, add_end_labels, framed, see_through, y_range
from embedlab.numbers import fixed, minus, signed
from embedlab.palette import ACCENT, INK, QUIET_INK, UNTOUCHED, beside_accent, shade, text_shade
from embedlab.plain_text import plain

BINS = 100  # equal bins on [−1, 1], as the JS distance uses


def similarity_histograms(
    *,
    untouched: Mapping[str, np.ndarray],
    tuned: Mapping[str, np.ndarray] | None,
    copies: str,
    beginning: str = "untouched",
    other_encoders: Mapping[str, Mapping[str, np.ndarray]] | None = None,
    dark: bool = False,
) -> go.Figure:
    """Cosines of the pairs ``before`` and ``after`` every text is elongated; ``copies`` says how often, in words.

    ``other_encoders``: the same of further fine-tuned encoders, by name; each has a row of its own below.
    """
    states = [(beginning.capitalize(), UNTOUCHED, untouched)] + (
        [("Fine-tuned", ACCENT, tuned)] if tuned is not None else []
    )
    others = other_encoders or {}
    states += [(plain(name), shades, others[name])
               for name, shades in zip(others, beside_accent(len(others)), strict=True)]  # fmt: skip
    spacing = 0.07 if len(states) <= 2 else 0.14 / len(states)
    figure = make_subplots(len(states), 1, shared_xaxes=True, vertical_spacing=spacing, start_cell="bottom-left")
    tallest = 0.0
    for above, (name, shades, cosines) in enumerate(reversed(states)):  # one above the other: a shift is seen at once
        legend = f"legend{above + 1}" if above else "legend"
        for when, called, fill, dash in (("before", "as it is", 0.0, "dot"), ("after", "elongated", 0.28, "solid")):
            x, y = density(cosines[when])
            tallest = max(tallest, float(y.max(initial=0)))
            colour = shade(shades, dark)
            legend_text = f"{called}: mean {fixed(np.mean(cosines[when]), 2)}, sd {fixed(np.std(cosines[when]), 2)}"
            figure.add_scatter(
                x=x, y=y, mode="lines", line=dict(color=colour, width=2, dash=dash, shape="hv"), fill="tozeroy",
                fillcolor=see_through(colour, fill), name=legend_text, legend=legend,
                hovertemplate=f"{name}, {called}: cosine %{{x:.2f}}, density %{{y:.2f}}<extra></extra>",
                row=above + 1, col=1,
            )  # fmt: skip
    framed(figure, title="Similarity before and after elongation", x="cosine similarity", y="density",
           alt=_alt(states), dark=dark, height=460 if len(states) <= 2 else 200 * len(states))  # fmt: skip
    figure.update_layout(
        title_subtitle=dict(text=copies, font=dict(size=13, color=shade(QUIET_INK, dark))), margin_t=70
    )
    numbers = ("", *(str(number) for number in range(2, len(states) + 1)))
    for (name, shades, _), number in zip(reversed(states), numbers, strict=True):
        title = dict(text=f"<b>{name}</b>", font=dict(color=text_shade(shades, dark), size=13))
        top = figure.layout[f"yaxis{number}"].domain[1]
        look = dict(x=0.01, y=top, xanchor="left", yanchor="top", bgcolor="rgba(0,0,0,0)", font_color=shade(INK, dark))
        figure.update_layout({f"legend{number}": dict(title=title, **look)})
    figure.update_xaxes(range=_cosines_shown([cosines for _, _, cosines in states]))
    for above in range(2, len(states) + 1):
        figure.update_xaxes(title_text="", row=above, col=1)
    figure.update_yaxes(range=[0, 1.08 * tallest or 1])
    return figure


def copies_read(effective_copies: np.ndarray, *, dark: bool = False) -> go.Figure:
    """How many copies of each text the encoder read, as one bar per m. effective_copies: (pairs,)"""
    counted = np.bincount(np.floor(effective_copies).astype(int))
    numbers = np.flatnonzero(counted)
    figure, colour = go.Figure(), shade(QUIET_INK, dark)
    figure.add_bar(
        x=numbers, y=counted[numbers], marker=dict(color=see_through(colour, 0.55), line_width=0), width=0.8,
        hovertemplate="m = %{x}: %{y:,} pairs<extra></extra>",
    )  # fmt: skip
    low, high = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    mean = effective_copies.mean() if len(effective_copies) else 0.0
    alt = f"The texts of {len(effective_copies):,} pairs fit {low} to {high} times, {mean:.1f} on average."
    framed(figure, title="Copies m that fit, pair by pair", x="copies m of each text in a pair", y="pairs",
           alt=alt, dark=dark, height=230)  # fmt: skip
    figure.update_xaxes(range=[0, high + 1])
    return figure


class CopiesAxis(NamedTuple):
    """What is drawn over the copies m of a text: title, name, its short name, the form of a number, and the range."""

    title: str
    name: str
    short: str
    form: str
    range: tuple[float, float]


def cosine_axis(cosines: Iterable[float | None]) -> CopiesAxis:
    """The cosine of two texts, None where one has no vector; its range is that of these."""
    reach = y_range([value for value in cosines if value is not None] or [0, 1], least=0.2)
    return CopiesAxis("Similarity of the two texts", "cosine similarity", "cosine", "{:.2f}", reach)


def kept_axis(k: int) -> CopiesAxis:
    """How many of a text's k nearest neighbors remain when the text is repeated."""
    reach = -0.05 * k, 1.08 * k
    return CopiesAxis(f"Of its {k} nearest texts, still nearest", "nearest texts kept", "kept", "{:.0f}", reach)


def over_copies(
    axis: CopiesAxis,
    *,
    copies: Sequence[int],
    untouched: Sequence[float | None],
    tuned: Sequence[float | None],
    truncated_from: float | None = None,
    at: int | None = None,
    beginning: str = "untouched",
    dark: bool = False,
) -> go.Figure:
    """A line for the encoder before (grey) and after fine-tuning (accent); a line without a final value is left out.

    The encoder truncates from ``truncated_from`` on; ``at`` marks one m; ``beginning`` names the encoder before.
    """
    figure, labels = go.Figure(), []
    for name, values, shades in ((beginning, untouched, UNTOUCHED), ("fine-tuned", tuned, ACCENT)):
        if values[-1] is None:
            continue
        colour = shade(shades, dark)
        figure.add_scatter(
            x=list(copies), y=list(values), mode="lines+markers", name=name,
            line=dict(color=colour, width=2), marker_size=6,
            hovertemplate=f"{name}, m = %{{x}}: {axis.short} %{{y:.3~g}}<extra></extra>",
        )  # fmt: skip
        labels.append(EndLabel(f"{name} {minus(axis.form.format(values[-1]))}", values[-1], colour))
    end, (low, high) = 1.02 * max(copies), axis.range
    ends = ", ".join(label.text for label in labels)
    framed(figure, title=axis.title, x="copies m", y=axis.name,
           alt=f"{axis.title}, {axis.short} at m = {copies[-1]}: {ends}.", dark=dark)  # fmt: skip
    if truncated_from is not None and truncated_from <= max(copies):
        is_top_taken = any(label.y > high - 0.12 * (high - low) for label in labels)
        figure.add_vrect(
            x0=truncated_from, x1=end, fillcolor=see_through(shade(QUIET_INK, dark), 0.12), line_width=0,
            annotation=dict(text="truncated by the encoder", font_color=shade(QUIET_INK, dark)),
            annotation_position="bottom left" if is_top_taken else "top left",
        )  # fmt: skip
    if at is not None:
        figure.add_vline(x=at, line=dict(color=shade(QUIET_INK, dark), width=1.5, dash="dot"))
    figure.update_layout(showlegend=False)
    figure.update_xaxes(range=[0, end])
    figure.update_yaxes(range=[low, high])
    add_end_labels(figure, labels, low=low, high=high)
    return figure


def density(cosines: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bin edges and densities on [−1, 1] for a step plot. each: (bins + 1,)"""
    counts, edges = np.histogram(np.clip(cosines, -1, 1), bins=BINS, range=(-1, 1))
    return edges, np.append(counts / max(counts.sum(), 1) * (BINS / 2), 0.0)


def _cosines_shown(states: Sequence[Mapping[str, np.ndarray]]) -> list[float]:
    """The x range: from just below the smallest value to 1, with a third more on the left for names; never below −1."""
    least = min((float(np.min(each[when], initial=1)) for each in states for when in ("before", "after")), default=-1)
    low = np.floor(10 * least) / 10
    return [max(-1.0, low - (1 - low) / 3), 1.0]


def _alt(states: list) -> str:
    means = [
        f"{name} mean {np.mean(c['before']):.2f} as it is and {np.mean(c['after']):.2f} elongated"
        for name, _, c in states
    ]
    return f"Cosine similarity around elongation: {'; '.join(means)}."


def gains_by_length(tasks: Sequence[tuple[str, int, float]], *, dark: bool = False) -> go.Figure:
    """``tasks``: name, mean characters per document, and the gain (after minus before) as a share."""
    tasks = sorted(tasks, key=lambda task: task[1])
    figure, gains = go.Figure(), [100 * gain for *_, gain in tasks]
    places = ["top center", "bottom center"]  # neighbors' names stand on other sides of their points
    figure.add_scatter(
        x=[characters for _, characters, _ in tasks], y=gains, mode="markers+text", cliponaxis=False,
        text=[plain(name, 18) for name, *_ in tasks], textposition=[places[n % 2] for n in range(len(tasks))],
        textfont=dict(size=11, color=shade(INK, dark)), marker=dict(color=shade(ACCENT, dark), size=9),
        hovertemplate="%{text}: documents of %{x:,.0f} characters, %{y:+.1f} points<extra></extra>",
    )  # fmt: skip
    figure.add_hline(y=0, line=dict(color=shade(QUIET_INK, dark), width=1, dash="dot"))
    each_task = "; ".join(f"{name}, {long:,} characters, {signed(100 * gain, 1)}" for name, long, gain in tasks)
    framed(figure, title="Gain by the length of documents", x="characters of a document, mean (log)",
           y="nDCG@10, after − before (points)", dark=dark,
           alt=f"Change of nDCG@10 in points by the mean length of a task's documents: {each_task}.")  # fmt: skip
    low, high = min(task[1] for task in tasks), max(task[1] for task in tasks)
    figure.update_xaxes(type="log", range=[log10(low) - 0.12, log10(high) + 0.12], tickformat=",", dtick="D2")
    figure.update_yaxes(range=y_range([*gains, 0.0], air=0.14, least=1.0))
    figure.update_layout(showlegend=False)
    return figure
