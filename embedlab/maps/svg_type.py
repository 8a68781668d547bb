"""The type of an SVG: halos below names as the same text with a wide stroke, and fonts where ours is not installed."""

import re

_INSTEAD = "Verdana, sans-serif"  # as wide as DejaVu Sans, so that nothing comes to lie on anything


def with_halos(svg: str, count: int, colour: str, *, width: float = 1.6) -> str:
    """Give the text of each group ``halo-0`` … ``halo-(count − 1)`` a stroke, and hide it from screen readers."""
    stroke = f"stroke: {colour}; stroke-width: {width}; stroke-linejoin: round; "
    pattern = re.compile(r'<g id="halo-(\d+)">(\s*(?:<!--.*?-->\s*)?(?:<g[^>]*>\s*)?<text style=")', re.DOTALL)
    found, made = pattern.subn(rf'<g id="halo-\1" aria-hidden="true">\g<2>{stroke}', svg)
    if made != count:
        raise ValueError(f"Expected {count} names with a halo in the figure, but found {made}.")
    return re.sub(r'(<text style="[^"]*font-family: [^;"]*)', rf"\g<1>, {_INSTEAD}", found)
