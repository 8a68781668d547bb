"""Workbooks: one sheet of an XLSX, XLS, XLSB or ODS file as a table of texts.

``python-calamine`` reads cells wherever they lie (openpyxl believes the dimension that the file states) and knows the
merged ranges; ``openpyxl`` tells what calamine gives as an empty cell: errors, and formulas without a stored value.
"""

import datetime
import zipfile
from collections import Counter, deque
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from embedlab.archives import checked_members
from embedlab.corpora.cleaning import without_surrogates
from embedlab.corpora.names import PREAMBLE_ROWS, header_rows, known_names, unique_names
from embedlab.corpora.notes import CountedRows, ReadOptions, counted_rows
from embedlab.corpora.tables import FAILING_SHARE, Table, require
from embedlab.errors import CorpusError
from embedlab.limits import check_columns, check_rows
from embedlab.numbers import counted

if TYPE_CHECKING:
    from python_calamine import CalamineSheet


def is_workbook(path: Path, name: str) -> bool:
    """Whether a zip is one; its members are counted as they unpack."""
    with zipfile.ZipFile(path) as archive:
        if not {"xl/workbook.xml", "xl/workbook.bin", "content.xml"}.intersection(archive.namelist()):
            return False
        deque(checked_members(archive, path, name=name), maxlen=0)  # counts what they all unpack to
    return True


def read_workbook(path: Path, name: str, options: ReadOptions) -> Table:
    """The chosen sheet, else the first with cells that is not hidden; every cell as its text."""
    from python_calamine import CalamineError

    try:
        title, titles, cells, merged = _cells(path, name, options.sheet)
    except CalamineError as error:  # raised by native code, which no traceback shows
        advice = "It may be damaged: save it again, or choose another file."
        raise CorpusError("E-NOT-A-TABLE", f"{name!r} cannot be read as a workbook ({error}). {advice}") from error
    table = Table(pa.table({}), name)
    several = [each for each in merged if each[0][0] < each[1][0] < len(cells)]  # which say the same of all their rows
    for (top, left), (bottom, right) in several:
        for row in range(top, bottom + 1):
            cells[row][left : right + 1] = [cells[top][left]] * (right + 1 - left)
    if several:
        ranges = counted(len(several), "merged cell")
        table.say("I-MERGED", f"{ranges} spanning several rows; each of these rows got its value.")
    rows = [[_cell_text(cell) for cell in row] for row in cells]
    numbers = [row for row, texts in enumerate(rows) if any(texts) and row + 1 >= (options.header_row or 1)]
    if not numbers:
        raise CorpusError("E-NO-TEXTS", f"Sheet {title!r} of {name!r} is empty. A corpus needs at least one text.")
    above = header_rows([rows[row] for row in numbers[:200]], options.header_row)
    written = rows[numbers[above - 1]] if above else [""] * len(rows[0])
    names, below = unique_names(written, len(written)), [rows[row] for row in numbers[above:]]
    again = CountedRows(number for number, row in enumerate(below) if above and row == written)  # merged downwards
    body = [row for row in below if not above or row != written]
    filled = [column for column, name in enumerate(written) if name.strip() or any(row[column] for row in body)]
    columns = [pa.array([row[column] for row in body], pa.large_string()) for column in filled]
    table.columns = pa.table(columns, names=[names[column] for column in filled])
    if len(titles) > 1:
        table.say("I-SHEET", f"{name!r} has {len(titles)} sheets ({', '.join(titles[:10])}); {title!r} was read.")
    _say_missing(table, path, title, rows, names)
    table.report = table.report.having(
        format="ODS workbook" if path.suffix.casefold() == ".ods" else "Excel workbook",
        sheet=title,
        sheets=tuple(titles),
        header_row=numbers[above - 1] + 1 if above else 0,
        rows=len(below),
    )
    table.leave_out(again, "repeat the header")
    return table


def _cells(path: Path, name: str, chosen: str | None) -> tuple[str, list[str], list[list], list]:
    """The name of the sheet that is read, those of all sheets, its cells from A1 on, and its merged ranges."""
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    with CalamineWorkbook.from_path(path) as book:
        sheets = [each for each in book.sheets_metadata if each.typ == SheetTypeEnum.WorkSheet]  # not charts
        titles = [each.name for each in sheets]
        if not titles:
            raise CorpusError("E-NO-TEXTS", f"{name!r} has no sheet. Save it again with the texts on its first sheet.")
        if chosen is not None:
            require(chosen, titles, "sheet", name)
        visible = [each.name for each in sheets if each.visible == SheetVisibleEnum.Visible]
        candidates = [chosen] if chosen is not None else [*visible, titles[0]]
        read = (book.get_sheet_by_name(title) for title in candidates)
        filled = [sheet for sheet in read if sheet.total_height] or [book.get_sheet_by_name(candidates[-1])]
        sheet = next((each for each in filled if len(filled) == 1 or _names_columns(each)), filled[0])
        check_rows(sheet.total_height, name)
        check_columns(sheet.total_width, name)
        return sheet.name, titles, sheet.to_python(skip_empty_area=False), sheet.merged_cell_ranges or []


def _names_columns(sheet: "CalamineSheet") -> bool:
    """Whether one of its first rows holds two usual names of columns: a table, where another sheet explains it."""
    rows = [list(map(str, row)) for row in sheet.to_python(nrows=PREAMBLE_ROWS)]
    return any(len(known_names(row)) >= 2 for row in rows)


def _say_missing(table: Table, path: Path, title: str, rows: list[list[str]], names: list[str]) -> None:
    """Cells of an XLSX that were read as empty though something stands there."""
    if all(map(all, rows)) or not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as archive:
        if "xl/workbook.xml" not in archive.namelist():  # an XLSB has its cells not as XML
            return
    from openpyxl import load_workbook

    errors = CountedRows()
    formulas: Counter[str] = Counter()
    with closing(load_workbook(path, read_only=True)) as book:
        sheet = book[title]
        sheet.reset_dimensions()
        for cell in (cell for row in sheet.iter_rows() for cell in row if cell.data_type in "ef"):
            row, column = cell.row - 1, cell.column - 1
            if row < len(rows) and column < len(names) and not rows[row][column]:
                if cell.data_type == "e":
                    errors.add(row)
                else:
                    formulas[names[column]] += 1
    if errors.total:
        table.say("W-CELL-ERROR", f"{counted_rows(errors)} a cell with an error such as #N/A; it was read as empty.")
    for column, count in formulas.items():
        many = counted(count, "formula")
        message = f"Column {column!r} of {table.name!r} has {many} without a stored value, read as empty."
        message += " Open the workbook in a spreadsheet program and save it, so that it has values."
        table.say("W-FORMULA", message)
        if count > FAILING_SHARE * table.columns.num_rows:
            table.doubt("E-FORMULA", message)


def _cell_text(cell: object) -> str:
    if isinstance(cell, float) and cell.is_integer():  # a workbook has no other numbers
        return str(int(cell))
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date().isoformat()
    return without_surrogates(str(cell))
