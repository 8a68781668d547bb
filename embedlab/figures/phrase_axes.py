"""Texts by their cosine to two phrases: points for up to 50,000 texts, a density above."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from embedlab.figures.frame import framed, see_through, y_range
from embedlab.numbers import counted
from embedlab.palette import ACCENT, GROUND, QUIET_INK, UNLABELED, Shades, shade, text_shade
from embedlab.plain_text import plain

POINTS = 50_000
CELLS = 140  # along each axis, of the density
HEIGHT = 470
NAMED = 6  # classes whose mean carries its name
HOVER = 70  # characters of a text
NAME = 24  # characters of a name at most
COVERED = 2_000  # pixels that a name goes farther away so as not to cover all points
PLOT = np.array([370.0, HEIGHT - 104.0])  # pixels inside the axes
_CELL_STEPS = ((0.0, 0.0), (1e-6, 0.12), (1.0, 1.0))  # place in the scale, opacity


def phrase_axes(
    *,
    cosines: np.ndarray,
    groups: np.ndarray,
    names: Sequence[str],
    colours: Sequence[Shades],
    means: np.ndarray,
    named: Sequence[int],
    ranges: Sequence[tuple[float, float]],
    phrases: Sequence[str],
    title: str,
    correlation: float,
    hovers: Sequence[str] | None = None,
    identity: str = "",
    dark: bool = False,
) -> go.Figure:
    """One of two panels, before or after, in which distances have a meaning.

    cosines (2, texts): to the first and to the second phrase; groups (texts,): index into ``names``, or beyond them
    for none; means (2, classes): of each class; ``named``: the classes whose mean is drawn; ``ranges``: of x and y,
    the same on both sides; ``hovers``: ``hover_texts`` of all texts.
    """
    figure, ground = go.Figure(), shade(GROUND, dark)
    has_both = np.isfinite(cosines).all(axis=0)
    x, y = cosines[:, has_both]
    drawn_classes = [row for row in named if np.isfinite(means[:, row]).all()]
    low, high = max(ranges[0][0], ranges[1][0]), min(ranges[0][1], ranges[1][1])
    if low < high:
        figure.add_scatter(
            x=[low, high], y=[low, high], mode="lines", hoverinfo="skip",
            line=dict(color=shade(QUIET_INK, dark), width=1, dash="dot"),
        )  # fmt: skip
    if len(x) <= POINTS:
        texts = None if hovers is None else [hovers[row] for row in np.flatnonzero(has_both).tolist()]
        _add_points(figure, x, y, groups[has_both], drawn_classes, names, colours, texts, dark)
    else:
        _add_density(figure, x, y, ranges, dark)
    figure.add_scattergl(  # in WebGL, because it lies above all that is not
        x=means[0, drawn_classes], y=means[1, drawn_classes], mode="markers",
        marker=dict(
            symbol="diamond", size=12, color=[shade(colours[row], dark) for row in drawn_classes],
            line=dict(width=2, color=ground),
        ),
        text=[plain(names[row]) for row in drawn_classes],
        hovertemplate="mean of %{text}<br>x %{x:.2f}, y %{y:.2f}<extra></extra>",
    )  # fmt: skip
    places = _beside(means[:, drawn_classes], [names[row] for row in drawn_classes], ranges, np.stack([x, y]))
    for row, (right, down) in zip(drawn_classes, places, strict=True):
        colour = text_shade(colours[row], dark)
        figure.add_annotation(
            x=means[0, row], y=means[1, row], text=f"<b>{plain(names[row], NAME)}</b>", ax=right, ay=down,
            arrowcolor=colour, arrowwidth=1.2, arrowhead=0, standoff=6,
            font=dict(size=12, color=colour), bgcolor=see_through(ground, 0.7), borderpad=1,
        )  # fmt: skip
    first, second = (f"cosine to “{plain(phrase, 44)}”" for phrase in phrases)
    where = f"{counted(len(x), 'text')} by their cosine to “{phrases[0]}” and to “{phrases[1]}”"
    alt = f"{title}: {where}, correlation {correlation:.2f}."
    framed(figure, title=title, x=first, y=second, alt=alt, dark=dark, height=HEIGHT)
    figure.update_layout(showlegend=False, uirevision=identity, hovermode="closest")
    figure.update_xaxes(range=list(ranges[0]), showgrid=True, tickformat=".2~f")
    figure.update_yaxes(range=list(ranges[1]), tickformat=".2~f")
    return figure


def hover_texts(texts: Iterable[str]) -> list[str]:
    """The hover text of each point, escaped."""
    return [plain(text, HOVER) for text in texts]


def shared_ranges(cosines: np.ndarray) -> list[tuple[float, float]]:
    """The x and y ranges from the lowest to the highest cosine of both panels. cosines: (sides, 2, texts)"""
    ranges = []
    for phrase in (0, 1):
        values = cosines[:, phrase][np.isfinite(cosines[:, phrase])]
        ranges.append(y_range([float(values.min()), float(values.max())] if len(values) else [0.0, 1.0], air=0.04))
    return ranges


def _add_points(
    figure: go.Figure, x: np.ndarray, y: np.ndarray, groups: np.ndarray, drawn_classes: Sequence[int],
    names: Sequence[str], colours: Sequence[Shades], texts: Sequence[str] | None, dark: bool,
) -> None:  # fmt: skip
    """Draw the named classes in their colours on top of all others in grey; numbers are sent as binary."""
    size = float(np.clip(9 - np.log10(max(len(x), 1)) * 1.5, 2.5, 7))
    hover = "x %{x:.3f}, y %{y:.3f}<extra></extra>"
    class_codes = np.full(len(names) + 1, -1)  # the last one stands for no class
    class_codes[list(drawn_classes)] = np.arange(len(drawn_classes))
    codes = class_codes[np.minimum(groups.astype(np.int64), len(names))]
    rest = np.flatnonzero(codes < 0)
    mixed = np.random.default_rng(0).permutation(np.flatnonzero(codes >= 0))  # no class covers another
    scale = [shade(colours[row], dark) for row in drawn_classes] or [shade(UNLABELED, dark)]
    steps = [(edge, colour) for n, colour in enumerate(scale) for edge in (n / len(scale), (n + 1) / len(scale))]
    coloured = dict(color=codes[mixed].astype(np.uint8), colorscale=steps, cmin=-0.5, cmax=len(scale) - 0.5)
    for rows, marker, opacity in ((rest, dict(color=shade(UNLABELED, dark)), 0.55), (mixed, coloured, 0.85)):
        figure.add_scattergl(
            x=x[rows].astype(np.float32), y=y[rows].astype(np.float32), mode="markers",
            text=None if texts is None else [texts[row] for row in rows.tolist()],
            hovertemplate=hover if texts is None else f"%{{text}}<br>{hover}",
            marker=dict(size=size, opacity=opacity, line_width=0, **marker),
        )  # fmt: skip


def _add_density(
    figure: go.Figure, x: np.ndarray, y: np.ndarray, ranges: Sequence[tuple[float, float]], dark: bool
) -> None:
    """Draw the number of texts per cell on a log scale; empty cells stay transparent."""
    counts, x_edges, y_edges = np.histogram2d(x, y, bins=CELLS, range=ranges)
    colour = shade(ACCENT, dark)
    figure.add_heatmap(
        x=x_edges[:-1] + np.diff(x_edges) / 2, y=y_edges[:-1] + np.diff(y_edges) / 2,
        z=np.log10(counts.T + 1).astype(np.float32), customdata=counts.T.astype(np.int32), showscale=False,
        colorscale=[(position, see_through(colour, opacity)) for position, opacity in _CELL_STEPS],
        hovertemplate="x %{x:.2f}, y %{y:.2f}: %{customdata:,} texts<extra></extra>",
    )  # fmt: skip


def _beside(
    means: np.ndarray, names: Sequence[str], ranges: Sequence[tuple[float, float]], cloud: np.ndarray
) -> list[tuple[int, int]]:
    """The offset of each name from its class mean in pixels (right, down): close, over few points, never over an
    earlier name.

    means: (2, names), cloud: (2, texts); the plot is taken to be as large as at 1,400 px.
    """
    lows, spans = np.array(ranges)[:, 0], np.ptp(np.array(ranges), axis=1)
    points, cloud = ((each.T - lows) / spans * PLOT for each in (means, cloud[:, :: len(cloud[0]) // 2_000 + 1]))
    taken: list[np.ndarray] = []
    chosen = []
    for point, name in zip(points, names, strict=True):
        half = np.array([3.7 * min(len(name), NAME) + 4, 10.0])
        options = []
        for far in (26, 52, 84, 120, 160, 210):
            for right, down in _around(far):
                box = point + np.array([right, -down]) + np.array([-half, half])  # lower left, upper right corner
                if _is_free(box, taken, points):
                    options.append((far + COVERED * _inside(cloud, box).mean(), right, down, box))
        _, right, down, box = min(options, key=lambda each: each[0], default=(0, 0, -26, np.zeros((2, 2))))
        taken.append(box)
        chosen.append((right, down))
    return chosen


def _around(far: int) -> list[tuple[int, int]]:
    """Candidate positions around a mean, above it first."""
    return [(0, -far), (0, far), (far, -far), (-far, -far), (far, far), (-far, far), (2 * far, 0), (-2 * far, 0)]


def _is_free(box: np.ndarray, taken: list[np.ndarray], points: np.ndarray) -> bool:
    """Whether a name's box (two corners) lies inside the plot and covers no other name and no mean."""
    low, high = box
    within = (low >= 0).all() and (high <= PLOT).all()
    on_mean = _inside(points, box + np.array([[-6.0], [6.0]])).any()
    return bool(within and not on_mean and all((low >= other[1]).any() or (high <= other[0]).any() for other in taken))


def _inside(points: np.ndarray, box: np.ndarray) -> np.ndarray:
    """(points, 2) -> (points,) bool"""
    return ((points > box[0]) & (points < box[1])).all(axis=1)


HIGHEST = 3  # classes named


@dataclass(frozen=True)
class AxesReading:
    """What both axes show on one side."""

    means: np.ndarray  # (2, classes), not a number where a class has no text with a vector
    sizes: np.ndarray  # (classes,)
    correlation: float  # Pearson's r of both cosines over all texts; not a number where one does not vary
    texts: int

    def highest(self, phrase: int, count: int = HIGHEST) -> list[int]:
        """The classes with the highest mean cosine to a phrase, highest first."""
        able = np.flatnonzero((self.sizes >= FEWEST) & np.isfinite(self.means[phrase]))
        return able[np.argsort(-self.means[phrase, able], kind="stable")][:count].tolist()


FEWEST = 5  # texts of a class whose mean is named


def read_axes(cosines: np.ndarray, groups: np.ndarray, classes: int) -> AxesReading:
    """cosines (2, texts), groups (texts,): the class of each, ``classes`` or more for none"""
    has_both = np.isfinite(cosines).all(axis=0)
    values, classes_of = cosines[:, has_both].astype(np.float64), groups[has_both]
    in_class = classes_of < classes
    sizes = np.bincount(classes_of[in_class], minlength=classes)[:classes]
    sums = np.stack([np.bincount(classes_of[in_class], each[in_class], minlength=classes)[:classes] for each in values])
    means = np.divide(sums, sizes, out=np.full(sums.shape, np.nan), where=sizes > 0)
    varies = values.shape[1] > 1 and (np.ptp(values, axis=1) > 0).all()
    correlation = float(np.corrcoef(values).reshape(2, 2)[0, 1]) if varies else float("nan")
    return AxesReading(means, sizes, correlation, values.shape[1])


def worth_naming(both: tuple[AxesReading, AxesReading], count: int) -> list[int]:
    """The same classes on both sides: the highest on each axis in turn, after first."""
    lists = [side.highest(phrase, count) for side in reversed(both) for phrase in (0, 1)]
    turns = [row for rank in range(count) for each in lists for row in each[rank : rank + 1]]
    return list(dict.fromkeys(turns))[:count]
