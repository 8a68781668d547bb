"""A study of two settings as a heat map: one cell per pair of values, with its mean and the sd over seeds."""

import plotly.graph_objects as go

from embedlab.figures.frame import framed
from embedlab.figures.studies.curve import lower
from embedlab.figures.studies.drawn import DrawnPoint, DrawnStudy, DrawnValue
from embedlab.palette import ACCENT, GROUND, INK, QUIET_INK, Ground, Shades, shade
from embedlab.plain_text import one_line, plain

STEPS = 12  # colours from the lowest to the highest cell
_PALEST, _FULLEST = 0.06, 0.55  # of the accent: words in ink stay readable on every one
_ROW, _AROUND = 44, 150


def cell_colours() -> list[Shades]:
    """The colour of each cell, from the lowest to the highest value, in both themes."""
    places = [_PALEST + (_FULLEST - _PALEST) * step / (STEPS - 1) for step in range(STEPS)]
    return [Shades(light=_mixed(share, "light"), dark=_mixed(share, "dark")) for share in places]


def in_cell(study: DrawnStudy, point: DrawnValue) -> tuple[str, str]:
    """The cell's mean and, below it, the sd over its seeds; if it is missing, the reason."""
    if not isinstance(point, DrawnPoint):
        return ("gap", "") if any(dot.is_over for dot in point.dots) else ("not run yet", "")
    number = study.in_words(point.height)
    if point.sd is None:
        return number, "one seed"
    scale, digits = (100, 1) if study.unit == "share" else (1, 3 if point.sd < 0.1 else 1)
    return number, f"± {scale * point.sd:.{digits}f}"


def heat_line(study: DrawnStudy) -> str:
    """The caption: what each cell shows."""
    several = f"the standard deviation of its {study.seeds} seeds"
    return f"Cells: the mean; after ± {several if study.seeds > 1 else 'nothing: there is one seed'}."


def study_heat(study: DrawnStudy, *, dark: bool = False) -> go.Figure:
    """Values along x, one row per series."""
    names, rows = study.value_names, study.series
    cells = {(point.series_name, point.name): point for point in study.points}
    heights = {(point.series_name, point.name): point.height for point in study.done}
    figure, quiet = go.Figure(), shade(QUIET_INK, dark)
    colours = [shade(each, dark) for each in cell_colours()]
    figure.add_heatmap(
        z=[[heights.get((row, name)) for name in names] for row in rows],
        x=list(range(len(names))), y=list(range(len(rows))), xgap=2, ygap=2, hoverongaps=False,
        colorscale=[[step / (STEPS - 1), colour] for step, colour in enumerate(colours)],
        colorbar=dict(title=dict(text=plain(study.y_title), side="right", font=dict(size=13, color=quiet)),
                      tickfont=dict(color=quiet), outlinewidth=0, thickness=14,
                      tickformat=".0%" if study.unit == "share" else None),
        customdata=[[_hover(study, cells[row, name], row) for name in names] for row in rows],
        hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip
    for across, name in enumerate(names):
        for down, row in enumerate(rows):
            number, under = in_cell(study, cells[row, name])
            is_there = (row, name) in heights
            text = f"{number}<br><span style='font-size:11px'>{under}</span>" if under else number
            figure.add_annotation(x=across, y=down, text=text, showarrow=False,
                                  font=dict(color=shade(INK if is_there else QUIET_INK, dark), size=13))  # fmt: skip
    framed(figure, title=f"{plain(study.title)}: {lower(study.measure_title)}", x=plain(study.axis),
           y=plain(study.series_setting), alt=study.alt, dark=dark,
           height=max(_AROUND + _ROW * len(rows), 260))  # fmt: skip
    figure.update_xaxes(tickvals=list(range(len(names))), ticktext=[plain(name, 24) for name in names], showgrid=False)
    figure.update_yaxes(tickvals=list(range(len(rows))), ticktext=[plain(row, 28) for row in rows], showgrid=False,
                        autorange="reversed", automargin=True, title_standoff=14)  # fmt: skip
    figure.update_layout(uirevision=f"{study.id} heat {study.measure}")
    return figure


def _hover(study: DrawnStudy, point: DrawnValue, row: str) -> str:
    gaps = [f"{dot.name}: {plain(dot.reason)}" for dot in point.dots if dot.reason]
    cell_text = " ".join(each for each in in_cell(study, point) if each)
    return "<br>".join([f"<b>{plain(one_line(point.name))}, {plain(row)}</b>: {cell_text}", *gaps[:3]])


def _mixed(share: float, ground: Ground) -> str:
    """The accent mixed into the background by this share."""
    low, high = ([int(each[ground][at : at + 2], 16) for at in (1, 3, 5)] for each in (GROUND, ACCENT))
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(low, high, strict=True))
