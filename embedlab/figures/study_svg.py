"""The figure of a study as SVG: one file that is readable on light and dark ground, for READMEs and papers."""

from collections.abc import Mapping
from xml.sax.saxutils import escape

from embedlab.figures.palette import ACCENT, GRID, GROUND, INK, QUIET_INK, REFERENCE, UNTOUCHED, text_shade
from embedlab.figures.study import alt
from embedlab.figures.study_drawing import HEIGHT, WIDTH, Dot, Line, Words, study_drawing

ROLES = {
    "ink": INK,
    "quiet": QUIET_INK,
    "grid": GRID,
    "accent": ACCENT,
    "seed": ACCENT,
    "untouched": UNTOUCHED,
    "reference": REFERENCE,
}
SEED_OPACITY = 0.4
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def study_svg(found: Mapping) -> bytes:
    """The reader's light or dark scheme decides the colours; the sheet has a ground of its own."""
    marks = "\n".join(_mark(mark) for mark in study_drawing(found))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img" aria-label="{_quoted(alt(found))}" font-family="{_FONT}">\n'
        f"<title>{escape(alt(found))}</title>\n"
        f"<style>\n{_style(dark=False)}\n@media (prefers-color-scheme: dark) {{\n{_style(dark=True)}\n}}\n</style>\n"
        f'<rect width="{WIDTH}" height="{HEIGHT}" class="ground" rx="6"/>\n{marks}\n</svg>\n'
    ).encode()


def colour_of(role: str, *, dark: bool) -> str:
    """The colour of a mark; words are readable in it."""
    return ROLES[role]["dark" if dark else "light"] if role in ("grid", "seed") else text_shade(ROLES[role], dark)


def _style(*, dark: bool) -> str:
    lines = [f".ground {{ fill: {GROUND['dark' if dark else 'light']} }}"]
    for role in ROLES:
        colour = colour_of(role, dark=dark)
        lines += [f".s-{role} {{ stroke: {colour}; fill: none }}", f".f-{role} {{ fill: {colour} }}"]
    return "\n".join([*lines, f".f-seed {{ opacity: {SEED_OPACITY} }}"])


def _mark(mark: Line | Dot | Words) -> str:
    if isinstance(mark, Line):
        dash = f' stroke-dasharray="{mark.dash[0]} {mark.dash[1]}"' if mark.dash else ""
        along = " ".join(f"{x:.1f},{y:.1f}" for x, y in mark.points)
        return f'<polyline points="{along}" class="s-{mark.role}" stroke-width="{mark.width:g}"{dash}/>'
    if isinstance(mark, Dot):
        drawn = f'class="s-{mark.role}" stroke-width="2"' if mark.is_open else f'class="f-{mark.role}"'
        said = f"<title>{escape(mark.said)}</title>" if mark.said else ""
        return f'<circle cx="{mark.x:.1f}" cy="{mark.y:.1f}" r="{mark.radius:g}" {drawn}>{said}</circle>'
    weight = ' font-weight="600"' if mark.bold else ""
    return (
        f'<text x="{mark.x:.1f}" y="{mark.y:.1f}" font-size="{mark.size}" text-anchor="{mark.anchor}"{weight} '
        f'class="f-{mark.role}">{escape(_printable(mark.text))}</text>'
    )


def _printable(text: str) -> str:
    """Without characters that XML does not have."""
    return "".join(each for each in text if each >= " " and not "\ud800" <= each <= "\udfff")


def _quoted(text: str) -> str:
    return escape(_printable(text), {'"': "&quot;"})
