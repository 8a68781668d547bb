"""How high a table is, said from the first moment, so that what stands below it does not jump when it comes."""

from embedlab.ui.size import LETTERS, shown_size

_ROW, _FRAME = 2.1875, 2  # Streamlit's row in letter heights, and the lines around the table in pixels


def table_height(rows: int, *, most: int = 10) -> int:
    """Pixels of a table of ``rows`` lines below its head; one of more than ``most`` lines is scrolled."""
    line = round(_ROW * LETTERS * shown_size())
    return line * (1 + max(1, min(rows, most))) + _FRAME
