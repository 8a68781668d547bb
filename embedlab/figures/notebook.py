"""Figures of a run for a notebook: its maps with plotly, and its curve and maps as SVG that needs no script."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from plotly.graph_objects import Figure
from plotly.subplots import make_subplots

from embedlab.figures.frame import share_range, y_range
from embedlab.numbers import counted, distinct, percent
from embedlab.palette import (
    ACCENT,
    GRID,
    GROUND,
    INK,
    NO_CLASS,
    QUIET_INK,
    REFERENCE,
    UNLABELED,
    UNTOUCHED,
    class_colours,
)  # fmt: skip
from embedlab.plain_text import one_line, plain, svg_of
from embedlab.plane import evenly

LEGEND_CLASSES = 20  # named in a legend; texts of smaller classes are one entry
HOVER_TEXTS = 20_000  # on a map; of more the browser would hold every text twice
STILL_POINTS = 1_500  # of an SVG map: 60 kB, and more would cover each other
WIDE, HIGH, EDGE = 400, 260, 46  # of one SVG picture, in pixels, and the room for its axes


@dataclass(frozen=True)
class MapPanel:
    """One map and the title above it.  coordinates: (texts, 2); categories: (texts,), NO_CLASS without a class."""

    title: str
    coordinates: np.ndarray
    categories: np.ndarray
    texts: Sequence[str] = ()  # what the mouse shows, one per point; none of very many


def maps_figure(panels: Sequence[MapPanel], class_names: Sequence[str], *, title: str) -> Figure:
    """The maps side by side, one colour per class; a click in the legend hides a class on all of them.

    ``class_names``: by size, the largest first; ``categories`` of a panel are places in it.
    """
    figure = make_subplots(1, len(panels), subplot_titles=[plain(panel.title) for panel in panels])
    colours = [each["light"] for each in class_colours(class_names).values()]
    groups = _groups(class_names, np.concatenate([panel.categories for panel in panels]))
    for column, panel in enumerate(panels, start=1):
        for name, members in groups.items():
            rows = np.flatnonzero(np.isin(panel.categories, members))
            figure.add_scattergl(
                x=panel.coordinates[rows, 0], y=panel.coordinates[rows, 1], mode="markers",
                name=plain(name), legendgroup=name, showlegend=column == 1,
                marker=dict(size=5, color=[_colour(panel.categories[row], colours) for row in rows]),
                text=[_hover(panel, int(row), class_names) for row in rows], hovertemplate="%{text}<extra></extra>",
                row=1, col=column,
            )  # fmt: skip
        figure.update_yaxes(scaleanchor=f"x{column if column > 1 else ''}", row=1, col=column)
    figure.update_xaxes(showticklabels=False, showgrid=False, zeroline=False)
    figure.update_yaxes(showticklabels=False, showgrid=False, zeroline=False)
    classes, dots = counted(len(class_names), "class", "classes"), [len(panel.categories) for panel in panels]
    alt = f"{plain(title, 120)}: {counted(max(dots, default=0), 'text')} in {classes}, on {counted(len(dots), 'map')}."
    figure.update_layout(
        meta={"alt": alt},
        title=plain(title, 120), height=480, paper_bgcolor=GROUND["light"], plot_bgcolor=GROUND["light"],
        font_color=INK["light"],
        legend=dict(itemsizing="constant"), margin=dict(l=10, r=10, t=70, b=10),
    )  # fmt: skip
    return figure


def _groups(class_names: Sequence[str], categories: np.ndarray) -> dict[str, list[int]]:
    """Legend entry -> its classes that occur in the texts; texts without a label come first, drawn below all others."""
    present = set(np.unique(categories).tolist())
    groups = {"No label": [NO_CLASS]} if NO_CLASS in present else {}
    if not class_names:
        return {"Texts": [NO_CLASS]}
    smaller = list(range(LEGEND_CLASSES, len(class_names)))
    if smaller:
        groups[counted(len(smaller), "smaller class", "smaller classes")] = smaller
    named = {name: [number] for number, name in enumerate(class_names[:LEGEND_CLASSES])}
    return {name: members for name, members in (groups | named).items() if present & set(members)}


def _colour(category: int, colours: Sequence[str]) -> str:
    if category != NO_CLASS:
        return colours[category]
    return (UNLABELED if colours else ACCENT)["light"]


def _hover(panel: MapPanel, row: int, class_names: Sequence[str]) -> str:
    """``<b>law</b><br>The court …``, escaped."""
    category = int(panel.categories[row])
    name = f"<b>{plain(class_names[category])}</b>" if category != NO_CLASS else ""
    text = plain(panel.texts[row], 90) if len(panel.texts) else ""
    return "<br>".join(filter(None, [name, text]))


def still_maps(panels: Sequence[MapPanel], class_names: Sequence[str]) -> str:
    """The maps as one SVG with at most 1,500 points each, evenly spaced through the file."""
    colours = [each["light"] for each in class_colours(class_names).values()]
    parts = [_ground(WIDE * len(panels))]
    for number, panel in enumerate(panels):
        rows = evenly(len(panel.coordinates), STILL_POINTS)
        places = _fitted(panel.coordinates[rows]) + [number * WIDE, 0]
        parts.append(_text(number * WIDE + 12, 20, panel.title, weight="600"))
        parts += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="{_colour(panel.categories[row], colours)}"/>'
            for row, (x, y) in zip(rows, places, strict=True)
        ]
    return svg_of(parts, WIDE * len(panels), HIGH)


def _fitted(coordinates: np.ndarray) -> np.ndarray:
    """Coordinates in pixels of one panel below its title, both axes on one scale. (points, 2) -> (points, 2)"""
    if not len(coordinates):
        return coordinates
    low, high = coordinates.min(axis=0), coordinates.max(axis=0)
    scale = min(WIDE - 24, HIGH - 44) / max(float((high - low).max()), 1e-12)
    pixels = (coordinates - (low + high) / 2) * scale * [1, -1]  # upwards is larger
    return pixels + [WIDE / 2, (HIGH + 20) / 2]


def still_curve(
    points: Sequence[tuple[int, float]],
    title: str,
    *,
    references: Mapping[str, float] | None = None,
    are_shares: bool = True,
) -> str:
    """A line over the steps of a run as SVG, with dashed reference lines.

    points: steps, growing, and values, at least one; references: title -> value.
    """
    steps, values = zip(*points, strict=True)
    references = references or {}
    low, high = (share_range if are_shares else y_range)([*values, *references.values()])
    end = max(steps[-1], 1)

    def pixel(step: float, height: float) -> tuple[float, float]:
        share = (height - low) / ((high - low) or 1.0)
        return EDGE + (WIDE - EDGE - 14) * step / end, HIGH - 34 - (HIGH - 74) * share

    parts = [_ground(WIDE), _text(12, 20, title, weight="600")]
    labels = [percent(low), percent(high)] if are_shares else distinct(low, high, digits=2)
    for height, label in zip((low, high), labels, strict=True):
        y = pixel(0, height)[1]
        parts.append(_line((EDGE, y), (WIDE - 14, y), GRID["light"]))
        parts.append(_text(4, y + 4, label, size=10))
    for name, height in references.items():
        y = pixel(0, height)[1]
        parts.append(_line((EDGE, y), (WIDE - 14, y), REFERENCE["light"], dash="5 4"))
        parts.append(_text(EDGE + 4, y - 4, name, size=10, colour=REFERENCE["light"]))
    places = [pixel(*each) for each in points]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    parts.append(f'<polyline points="{line}" fill="none" stroke="{ACCENT["light"]}" stroke-width="2"/>')
    if len(places) <= 60:
        colours = [(UNTOUCHED if step == 0 else ACCENT)["light"] for step in steps]
        drawn = zip(places, colours, strict=True)
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for (x, y), colour in drawn]
    parts.append(_text(EDGE, HIGH - 12, "step 0", size=10))
    parts.append(_text(WIDE - 80, HIGH - 12, f"step {steps[-1]:,}", size=10))
    return svg_of(parts, WIDE, HIGH)


def _ground(wide: int) -> str:
    return f'<rect width="{wide}" height="{HIGH}" fill="{GROUND["light"]}"/>'


def _line(begin: tuple[float, float], end: tuple[float, float], colour: str, dash: str = "none") -> str:
    ends = f'x1="{begin[0]:.1f}" y1="{begin[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-dasharray="{dash}"/>'


def _text(x: float, y: float, text: str, *, size: int = 13, weight: str = "400", colour: str = "") -> str:
    """User text, escaped and on one line."""
    about = f'font-size="{size}" font-weight="{weight}" fill="{colour or (INK if size > 10 else QUIET_INK)["light"]}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {about}>{escape(one_line(text, 60))}</text>'
