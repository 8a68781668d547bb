"""A study of two settings as a heat map: one cell per pair of values, with its mean and the sd over seeds."""

from collections.abc import Mapping

import plotly.graph_objects as go

from embedlab.figures.frame import framed
from embedlab.figures.studies.curve import alt, axis_title, lower, told
from embedlab.palette import ACCENT, GROUND, INK, QUIET_INK, Ground, Shades, shade
from embedlab.plain_text import one_line, plain

STEPS = 12  # colours from the lowest to the highest cell
_PALEST, _FULLEST = 0.06, 0.55  # of the accent: words in ink stay readable on every one
_ROW, _AROUND = 44, 150


def cell_colours() -> list[Shades]:
    """The colour of each cell, from the lowest to the highest value, in both themes."""
    places = [_PALEST + (_FULLEST - _PALEST) * step / (STEPS - 1) for step in range(STEPS)]
    return [Shades(light=_mixed(share, "light"), dark=_mixed(share, "dark")) for share in places]


def is_grid(summary: Mapping) -> bool:
    """Whether the study has at least two values and two series."""
    return summary["series"] is not None and len(summary["series"]["values"]) > 1 and len(value_names(summary)) > 1


def value_names(summary: Mapping) -> list[str]:
    """The values of the first setting, in order."""
    return list(dict.fromkeys(point["name"] for point in summary["points"]))


def in_cell(summary: Mapping, point: Mapping) -> tuple[str, str]:
    """The cell's mean and, below it, the sd over its seeds; if it is missing, the reason."""
    if point["height"] is None:
        over = any(each["state"] in ("failed", "stopped", "interrupted") for each in point["seeds"])
        return ("gap", "") if over else ("not run yet", "")
    number = told(summary, point["height"])
    if point["height_sd"] is None:
        return number, "one seed"
    scale, digits = (100, 1) if summary["measure"]["unit"] == "share" else (1, 3 if point["height_sd"] < 0.1 else 1)
    return number, f"± {scale * point['height_sd']:.{digits}f}"


def heat_line(summary: Mapping) -> str:
    """The caption: what each cell shows."""
    seeds = len(summary["seeds"])
    spread = f"the standard deviation of its {seeds} seeds" if seeds > 1 else "nothing: there is one seed"
    return f"Cells: the mean; after ± {spread}."


def study_heat(summary: Mapping, *, dark: bool = False) -> go.Figure:
    """``summary`` as in ``study_curve``, with series; values along x, one row per series."""
    names, rows = value_names(summary), summary["series"]["names"]
    cells = {(point["series_name"], point["name"]): point for point in summary["points"]}
    heights = [[cells[row, name]["height"] for name in names] for row in rows]
    figure, quiet = go.Figure(), shade(QUIET_INK, dark)
    colours = [shade(each, dark) for each in cell_colours()]
    figure.add_heatmap(
        z=heights, x=list(range(len(names))), y=list(range(len(rows))), xgap=2, ygap=2, hoverongaps=False,
        colorscale=[[step / (STEPS - 1), colour] for step, colour in enumerate(colours)],
        colorbar=dict(title=dict(text=plain(axis_title(summary)), side="right", font=dict(size=13, color=quiet)),
                      tickfont=dict(color=quiet), outlinewidth=0, thickness=14,
                      tickformat=".0%" if summary["measure"]["unit"] == "share" else None),
        customdata=[[_hover(summary, cells[row, name], row) for name in names] for row in rows],
        hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip
    for across, name in enumerate(names):
        for down, row in enumerate(rows):
            number, under = in_cell(summary, cells[row, name])
            is_there = cells[row, name]["height"] is not None
            text = f"{number}<br><span style='font-size:11px'>{under}</span>" if under else number
            figure.add_annotation(x=across, y=down, text=text, showarrow=False,
                                  font=dict(color=shade(INK if is_there else QUIET_INK, dark), size=13))  # fmt: skip
    framed(figure, title=f"{plain(summary['title'])}: {lower(summary['measure']['title'])}", x=plain(summary["axis"]),
           y=plain(summary["series"]["setting"]), alt=alt(summary), dark=dark,
           height=max(_AROUND + _ROW * len(rows), 260))  # fmt: skip
    figure.update_xaxes(tickvals=list(range(len(names))), ticktext=[plain(name, 24) for name in names], showgrid=False)
    figure.update_yaxes(tickvals=list(range(len(rows))), ticktext=[plain(row, 28) for row in rows], showgrid=False,
                        autorange="reversed", automargin=True, title_standoff=14)  # fmt: skip
    figure.update_layout(uirevision=f"{summary['study']} heat {summary['measure']['key']}")
    return figure


def _hover(summary: Mapping, point: Mapping, row: str) -> str:
    gaps = [f"seed {seed['seed']}: {plain(seed['reason'])}" for seed in point["seeds"] if seed.get("reason")]
    cell_text = " ".join(each for each in in_cell(summary, point) if each)
    return "<br>".join([f"<b>{plain(one_line(point['name']))}, {plain(row)}</b>: {cell_text}", *gaps[:3]])


def _mixed(share: float, ground: Ground) -> str:
    """The accent mixed into the background by this share."""
    low, high = ([int(each[ground][at : at + 2], 16) for at in (1, 3, 5)] for each in (GROUND, ACCENT))
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(low, high, strict=True))
