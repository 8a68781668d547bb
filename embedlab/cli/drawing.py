"""``figure``: a run's maps as PDF, SVG or PNG for a paper."""

from pathlib import Path

from embedlab.cli.reading import output_file


def figure(asked, terminal) -> tuple[dict, int]:
    """One map, or both beside each other."""
    from embedlab.config import validated
    from embedlab.tasks.figure import FigureSettings, drawn_figure

    names = ("run", "method", "against", "maps", "format", "width_mm", "dpi", "names", "title", "selection", "distance")
    given = {name: getattr(asked, name) for name in names if getattr(asked, name) is not None}
    given.setdefault("format", Path(asked.out).suffix.removeprefix("."))
    settings = validated(FigureSettings, {**given, "caption": not asked.no_caption}, where="figure")
    return drawn_figure(settings, output_file(asked.out, f".{settings.format}"), terminal), 0


def show_figure(result: dict) -> list[str]:
    """Where it lies."""
    lines = [f"{result['texts']:,} texts, {result['width']:,} × {result['height']:,} pixels: {result['out']}"]
    if result["unseen"]:
        lines.append(f"No font on this computer has {result['unseen']}: boxes stand in their place. SVG keeps them.")
    return lines
