"""The figure of a study as files to take away: SVG, PNG, HTML."""

import io
from collections.abc import Mapping

from embedlab.figures.palette import GROUND
from embedlab.figures.study import study_curve
from embedlab.figures.study_drawing import HEIGHT, WIDTH, Dot, Line, study_drawing
from embedlab.figures.study_svg import SEED_OPACITY, colour_of, study_svg

__all__ = ["study_html", "study_png", "study_svg"]

_FONTS = ("DejaVuSans.ttf", "Arial.ttf", "arial.ttf", "LiberationSans-Regular.ttf", "NotoSans-Regular.ttf")
_PILLOWS_OWN = "Aileron"
_IN_WORDS = {"→": "to", "τ": "(tau)", "η": "(eta)"}
SCALE = 3  # pixels a point, before the sheet is made smaller by a third for smooth edges


def study_html(found: Mapping) -> bytes:
    """One page with plotly.js inside, which opens without a network."""
    figure = study_curve(found)
    figure.update_layout(paper_bgcolor=GROUND["light"], plot_bgcolor=GROUND["light"])
    return figure.to_html(include_plotlyjs=True, full_html=True).encode("utf-8")


def study_png(found: Mapping) -> bytes:
    """The sheet on light ground, two pixels a point."""
    from PIL import Image, ImageDraw, ImageFont

    sheet = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE), GROUND["light"])
    draw = ImageDraw.Draw(sheet, "RGBA")
    fonts = {size: _font(ImageFont, size * SCALE) for size in range(8, 20)}
    anchors = {"start": "ls", "middle": "ms", "end": "rs"}
    for mark in study_drawing(found):
        colour = colour_of(mark.role, dark=False)
        if isinstance(mark, Line):
            _stroke(draw, mark, colour)
        elif isinstance(mark, Dot):
            _circle(draw, mark, colour)
        else:
            place = (mark.x * SCALE, mark.y * SCALE)
            draw.text(
                place,
                _in_font(mark.text, fonts[mark.size]),
                font=fonts[mark.size],
                fill=colour,
                anchor=anchors[mark.anchor],
            )
    sink = io.BytesIO()
    sheet.resize((WIDTH * 2, HEIGHT * 2), Image.Resampling.LANCZOS).save(sink, "PNG", optimize=True)
    return sink.getvalue()


def _font(fonts, size: int):
    """A font of the system with Greek letters and arrows, else Pillow's own, which has neither."""
    for name in _FONTS:
        try:
            return fonts.truetype(name, size)
        except OSError:
            continue
    return fonts.load_default(size)


def _in_font(text: str, font) -> str:
    """The text in letters that Pillow's own font has, where no other was found."""
    if font.getname()[0] != _PILLOWS_OWN:
        return text
    for sign, words in _IN_WORDS.items():
        text = text.replace(sign, words)
    return text


def _stroke(draw, mark: Line, colour: str) -> None:
    points = [(x * SCALE, y * SCALE) for x, y in mark.points]
    width = max(round(mark.width * SCALE), 1)
    if mark.dash is None:
        draw.line(points, fill=colour, width=width, joint="curve")
        return
    (x, y), (end, _) = points[0], points[-1]  # dashed lines are horizontal
    on, off = (length * SCALE for length in mark.dash)
    while x < end:
        draw.line([(x, y), (min(x + on, end), y)], fill=colour, width=width)
        x += on + off


def _circle(draw, mark: Dot, colour: str) -> None:
    x, y, radius = mark.x * SCALE, mark.y * SCALE, mark.radius * SCALE
    box = (x - radius, y - radius, x + radius, y + radius)
    if mark.is_open:
        draw.ellipse(box, outline=colour, width=2 * SCALE)
    else:
        draw.ellipse(box, fill=colour + (f"{round(255 * SEED_OPACITY):02x}" if mark.role == "seed" else ""))
