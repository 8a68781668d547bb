"""Figures of diagnostics: several encoders in one picture, or side by side where one would hide the other."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from embedlab.figures.frame import framed, y_range
from embedlab.numbers import signed
from embedlab.palette import ACCENT, INK, QUIET_INK, UNTOUCHED, Shades, beside_accent, categorical, shade
from embedlab.picture import Picture
from embedlab.plain_text import plain, svg_of

_DASHES = ("solid", "dot", "dash", "dashdot")
_HIGH = 380
_LETTER, _LINE, _WIDE = 8.2, 34, 900  # of the words, in pixels
_MOST = 12  # bars with long names
_SHORT, _LONG = 14, 40  # characters of a name on an axis: beside others, and at most


class _Encoder(NamedTuple):
    name: str
    picture: Picture
    colour: Shades


def diagnosed_figure(pictures: Mapping[str, Picture], *, dark: bool = False) -> go.Figure:
    """Lines and bars of all encoders in one plot; points and heat maps side by side.

    ``pictures``: of each encoder by its name: of a run before and after, then of further runs.
    """
    colours = [UNTOUCHED, ACCENT, *beside_accent(max(len(pictures) - 2, 0))]
    encoders = [_Encoder(*named, colour) for named, colour in zip(pictures.items(), colours, strict=False)]
    picture = encoders[0].picture
    if picture.kind == "bars" and any(len(str(x)) > _SHORT for series in picture.series for x in series.x):
        return _lying_bars(encoders, dark)
    draw = {"points": _points, "heat": _heat}.get(picture.kind, _together)
    return draw(encoders, dark)


def _together(encoders: Sequence[_Encoder], dark: bool) -> go.Figure:
    first, figure, values = encoders[0].picture, go.Figure(), []
    for each in encoders:
        colour = shade(each.colour, dark)
        for number, series in enumerate(each.picture.series):
            name = plain(", ".join(part for part in (each.name, series.name) if part))
            values += [value for value in series.y if value is not None]
            hover = f"{name}: %{{x}}, %{{y:.4g}}<extra></extra>"
            if first.kind == "bars":
                x = [plain(value, _LONG) if isinstance(value, str) else value for value in series.x]
                look = dict(marker_color=colour, marker_opacity=1 - 0.45 * number)
                figure.add_bar(x=x, y=series.y, name=name, hovertemplate=hover, **look)
            else:
                line = dict(color=colour, width=2, dash=_DASHES[number % len(_DASHES)])
                mode = "lines+markers" if len(series.x) <= 20 else "lines"
                marks = dict(mode=mode, line=line, marker=dict(color=colour, size=6))
                figure.add_scatter(x=series.x, y=series.y, name=name, hovertemplate=hover, **marks)
    for name, position in first.marks:
        figure.add_vline(x=position, line=dict(color=shade(QUIET_INK, dark), dash="dash"), annotation_text=plain(name))
    framed(figure, title=plain(first.title, 120), x=plain(first.x), y=plain(first.y), alt=_alt(encoders),
           dark=dark, height=_HIGH)  # fmt: skip
    if first.kind == "lines" and values:
        figure.update_yaxes(range=y_range(values, least=1e-6))
        # in which any line is above zero, so that a density on −1 to 1 fills its picture
        places = [
            x
            for each in encoders
            for series in each.picture.series
            for x, y in zip(series.x, series.y, strict=True)
            if y is not None and (y or each.picture.y != "density")
        ]
        figure.update_xaxes(range=y_range(places or [0, 1], air=0.03, least=1e-6))
    figure.update_layout(legend=dict(orientation="h", y=1.02, yanchor="bottom", x=0), margin_t=84, barmode="group")
    return figure


def _lying_bars(encoders: Sequence[_Encoder], dark: bool) -> go.Figure:
    """Horizontal bars with long names: the fine-tuned encoder's highest, with the other encoders' values for the same
    names.
    """
    first, figure = encoders[0].picture, go.Figure()
    judged = encoders[:2][-1].picture.series
    judge = {x: y for series in judged for x, y in zip(series.x, series.y, strict=True)}
    every = dict.fromkeys(x for each in encoders for series in each.picture.series for x in series.x)
    names = sorted(every, key=lambda x: -(judge.get(x) or 0))[:_MOST]
    title = first.title if len(every) <= _MOST else f"{first.title}, the {_MOST} highest"
    for each in encoders:
        for series in each.picture.series:
            name = plain(", ".join(part for part in (each.name, series.name) if part))
            values = dict(zip(series.x, series.y, strict=True))
            figure.add_bar(
                x=[values.get(x) for x in names], y=[plain(x, _LONG) for x in names], orientation="h", name=name,
                marker_color=shade(each.colour, dark), hovertemplate=f"{name}: %{{y}}, %{{x:.4g}}<extra></extra>",
            )  # fmt: skip
    framed(figure, title=plain(title, 120), x=plain(first.y), y="", alt=_alt(encoders), dark=dark,
           height=130 + 14 * len(names) * (1 + len(encoders)))  # fmt: skip
    figure.update_yaxes(autorange="reversed", automargin=True)
    figure.update_xaxes(rangemode="tozero")
    figure.update_layout(legend=dict(orientation="h", y=1.02, yanchor="bottom", x=0), margin_t=84, barmode="group")
    return figure


def _points(encoders: Sequence[_Encoder], dark: bool) -> go.Figure:
    """One scatter plot per encoder, with the diagonal on which both axes agree."""
    first = encoders[0].picture
    figure = make_subplots(1, len(encoders), subplot_titles=[plain(each.name) for each in encoders], shared_yaxes=True)
    clouds = [series for each in encoders for series in each.picture.series]
    ends = y_range([value for series in clouds for value in (*series.x, *series.y) if value is not None] or [0, 1])
    shades = dict(zip(dict.fromkeys(series.name for series in clouds), categorical(64), strict=False))
    for column, each in enumerate(encoders, start=1):
        diagonal = dict(color=shade(QUIET_INK, dark), dash="dot", width=1)
        figure.add_scatter(
            x=ends, y=ends, mode="lines", line=diagonal, showlegend=False, hoverinfo="skip", row=1, col=column
        )
        for series in each.picture.series:
            marker = dict(color=shade(shades[series.name], dark), size=7)
            figure.add_scatter(
                x=series.x, y=series.y, mode="markers", marker=marker, name=plain(series.name),
                legendgroup=series.name, showlegend=column == 1, row=1, col=column,
                hovertemplate=f"{plain(series.name)}: %{{x:.4f}}, %{{y:.4f}}<extra></extra>",
            )  # fmt: skip
    framed(figure, title=plain(first.title, 120), x=plain(first.x), y=plain(first.y), alt=_alt(encoders),
           dark=dark, height=_HIGH + 40)  # fmt: skip
    figure.update_yaxes(title_text="", col=2)
    figure.update_layout(margin_t=84)
    return figure


def _heat(encoders: Sequence[_Encoder], dark: bool) -> go.Figure:
    """One heat map per encoder, stacked, on a common scale."""
    first = encoders[0].picture
    figure = make_subplots(
        len(encoders), 1, subplot_titles=[plain(each.name) for each in encoders], vertical_spacing=0.32 / len(encoders)
    )
    most = max(
        (value for each in encoders for s in each.picture.series for value in s.y if value is not None), default=1
    )
    for row, each in enumerate(encoders, start=1):
        series = each.picture.series
        words = [plain(word, 20) for word in series[0].x] if series else []
        figure.add_heatmap(
            z=[one.y for one in series], x=list(range(len(words))), y=[plain(one.name) for one in series],
            zmin=0, zmax=most, coloraxis="coloraxis", row=row, col=1, customdata=[words] * len(series),
            hovertemplate="%{customdata}, %{y}: %{z:.4f}<extra></extra>",
        )  # fmt: skip
        figure.update_xaxes(tickvals=list(range(len(words))), ticktext=words, row=row, col=1)
    height = 130 + len(encoders) * (90 + 22 * max(len(each.picture.series) for each in encoders))
    framed(figure, title=plain(first.title, 120), x="", y="", alt=_alt(encoders), dark=dark, height=height)
    low, high = ("#11151b", "#6ea3ff") if dark else ("#ffffff", "#1f5fd0")
    figure.update_layout(coloraxis=dict(colorscale=[[0, low], [1, high]], colorbar=dict(title=plain(first.y))))
    figure.update_layout(margin_t=84, margin_l=80)
    return figure


def words_drawn(picture: Picture, *, dark: bool = False) -> tuple[str, str]:
    """The words of one or two texts as SVG, shaded by their values, and the sentence for screen readers."""
    values = [value for series in picture.series for value in series.y if value is not None]
    most = max((abs(value) for value in values), default=0) or 1
    parts, y, ink = [], 20, shade(INK, dark)
    for series in picture.series:
        x = 4.0
        for word, value in zip(series.x, series.y, strict=True):
            wide = _LETTER * max(len(word), 5) + 10
            if x + wide > _WIDE and x > 4:
                x, y = 4.0, y + _LINE + 12
            opacity = 0.0 if value is None else 0.75 * max(value, 0) / most
            parts.append(
                f'<rect x="{x:.0f}" y="{y - 16}" width="{wide:.0f}" height="22" rx="3" fill="{shade(ACCENT, dark)}" '
                f'opacity="{opacity:.2f}"/>'
            )
            written = "–" if value is None else signed(value, 2)
            parts += [
                _text(x + wide / 2, y, plain(word, 30), ink, 14),
                _text(x + wide / 2, y + 19, written, shade(QUIET_INK, dark), 11),
            ]
            x += wide + 6
        y += _LINE + 22
    numbers = [(value, word) for s in picture.series for word, value in zip(s.x, s.y, strict=True) if value is not None]
    alt = f"{picture.title}: nothing."
    if numbers:
        value, word = max(numbers)
        alt = f"{picture.title}: most “{word}”, {value:.2f}."
    return svg_of(parts, _WIDE, y - 20), alt


def _text(x: float, y: float, text: str, colour: str, size: int) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" text-anchor="middle" fill="{colour}">{text}</text>'


def _alt(encoders: Sequence[_Encoder]) -> str:
    """The figure's title, and the first and last value of each line."""
    lines = []
    for each in encoders:
        for series in each.picture.series[:2]:
            values = [value for value in series.y if value is not None]
            if values:
                name = ", ".join(part for part in (each.name, series.name) if part)
                lines.append(f"{name} from {_told(values[0])} to {_told(values[-1])}")
    return f"{encoders[0].picture.title}: {'; '.join(lines) or 'nothing was found'}."


def _told(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "–"
