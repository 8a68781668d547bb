"""A table of results as CSV, Markdown, LaTeX or plain text; user-given names never become markup or formulas.

Not by pandas: its Styler has no row with a group's heading, no note below, and leaves a bracket or star that begins a
LaTeX row and the signs that T1 lacks as they are; ``to_markdown`` escapes nothing and needs one more package.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from embedlab.numbers import minus
from embedlab.statistics.separable import ABOVE, BEST, INSEPARABLE
from embedlab.table_files import csv_of_rows

_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&!^@]|:(?=[\w+\-/]))")
_LATEX = {
    **{character: f"\\{character}" for character in "{}&%$#_"},
    **{character: f"{{{character}}}" for character in "[]*"},  # a row that began so would be read as an option
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "→": r"$\rightarrow$",
    "↑": r"$\uparrow$",
    "−": r"$-$",
    "±": r"$\pm$",
    "†": r"\dag{}",
    "…": r"\dots{}",
    "≥": r"$\geq$",
    "×": r"$\times$",
    "³": r"\textsuperscript{3}",
}
SIGNS = {BEST: "●", INSEPARABLE: "○", ABOVE: "★"}
EMPTY = "–"
_MARKED = "{}: best. {}: not separable from it. {}: a reference clearly better than the best."


@dataclass(frozen=True)
class TableCell:
    """One value: ``value`` and ``error`` in their own unit, printed times ``scale``; a change has bounds."""

    value: float | None = None
    error: float | None = None
    mark: str = ""
    scale: float = 1.0
    digits: int = 1
    seeds: int | None = None
    is_published: bool = False
    is_change: bool = False
    low: float | None = None
    high: float | None = None

    @property
    def in_words(self) -> str:
        """``58.9 ± 1.4``, ``58.9 ± 0.4 (3)``, ``+3.2 (1.0 … 5.4)``; a dash if empty."""
        if self.value is None:
            return EMPTY
        text = self._number(self.value)
        if self.is_change:
            text = text if text.startswith("−") or not float(text) else f"+{text}"
            if self.low is None or self.high is None:
                return text
            return f"{text} ({self._number(self.low)} … {self._number(self.high)})"
        if self.error is not None:
            text += f" ± {self.scale * self.error:.{self.digits}f}"
        return f"{text} ({self.seeds})" if self.seeds is not None else text

    def _number(self, value: float) -> str:
        rounded = round(self.scale * value, self.digits) + 0.0  # -0.0 becomes 0.0
        return minus(f"{rounded:.{self.digits}f}")


@dataclass(frozen=True)
class TableLine:
    """One row: its words, its cells, and further facts for the CSV."""

    words: list[str]
    cells: list[TableCell]
    facts: Mapping[str, str | float | None] = field(default_factory=dict)


@dataclass(frozen=True)
class TableGroup:
    """Rows under one heading; the heading may be empty."""

    title: str
    lines: list[TableLine]


@dataclass(frozen=True)
class Sheet:
    """A whole table: headings of the words and of the cells, groups of rows, the note below."""

    word_heads: list[str]
    cell_heads: list[str]
    groups: list[TableGroup]
    notes: list[str]
    plain_heads: list[str] = field(default_factory=list)  # of the cells without units, for the unscaled values of CSV

    @property
    def lines(self) -> list[TableLine]:
        """All rows."""
        return [line for group in self.groups for line in group.lines]

    def notes_with_legend(self, legend: str = _MARKED.format(*SIGNS.values())) -> list[str]:
        """The notes, preceded by the meaning of the marks, if any."""
        is_marked = any(cell.mark in SIGNS for line in self.lines for cell in line.cells)
        return [legend, *self.notes] if is_marked else self.notes


def csv_text(sheet: Sheet) -> str:
    """All digits, in the metrics' own units: value, error, mark and seeds of each cell, then the facts of each row."""
    facts = list(dict.fromkeys(name for line in sheet.lines for name in line.facts))
    columns = [[line.cells[number] for line in sheet.lines] for number in range(len(sheet.cell_heads))]
    column_parts = [
        [part for part, of in _CSV_PARTS.items() if any(of(cell) not in (None, "") for cell in column)]
        for column in columns
    ]
    heads = ["group", *sheet.word_heads]
    for head, parts in zip(sheet.plain_heads or sheet.cell_heads, column_parts, strict=True):
        heads += [head, *(f"{head} {part}" for part in parts)]
    rows: list = [[*heads, *facts]]
    for group in sheet.groups:
        for line in group.lines:
            row: list = [group.title, *line.words]
            for cell, parts in zip(line.cells, column_parts, strict=True):
                row += [cell.value, *(_CSV_PARTS[part](cell) for part in parts)]
            rows.append([*row, *(line.facts.get(name) for name in facts)])
    return csv_of_rows(rows)


def markdown_text(sheet: Sheet) -> str:
    """A pipe table, group titles as bold rows; best in bold with its sign, not separable in italics with its sign."""
    lines = [_row([_escaped(head) for head in (*sheet.word_heads, *sheet.cell_heads)])]
    lines.append(_row(["---"] * len(sheet.word_heads) + ["---:"] * len(sheet.cell_heads)))
    width = len(sheet.word_heads) + len(sheet.cell_heads)
    for group in sheet.groups:
        if group.title:
            lines.append(_row([f"**{_escaped(group.title)}**", *[""] * (width - 1)]))
        for line in group.lines:
            lines.append(_row([*map(_escaped, line.words), *map(markdown_cell, line.cells)]))
    return "\n".join([*lines, "", *[f"{_escaped(note)}  " for note in sheet.notes_with_legend()]]) + "\n"


def markdown_cell(cell: TableCell) -> str:
    """``**58.9 ± 1.4** ●``"""
    emphasis = {BEST: "**", INSEPARABLE: "*"}.get(cell.mark, "")
    sign = SIGNS.get(cell.mark, "")
    text = f"{emphasis}{cell.in_words}{emphasis}"
    return f"{text} {sign}" if sign else text


def latex_text(sheet: Sheet) -> str:
    """A booktabs table: best in bold, not separable underlined, published values grey, the note below."""
    width = len(sheet.word_heads) + len(sheet.cell_heads)
    lines = [
        r"% \usepackage[T1]{fontenc}, \usepackage{booktabs} and \usepackage{xcolor} belong in the preamble",
        r"\begin{table}",
        r"  \centering",
        rf"  \begin{{tabular}}{{{'l' * len(sheet.word_heads)}{'r' * len(sheet.cell_heads)}}}",
        r"    \toprule",
        _latex_row([latex(head) for head in (*sheet.word_heads, *sheet.cell_heads)]),
    ]
    for group in sheet.groups:
        lines.append(r"    \midrule")
        if group.title:
            lines.append(rf"    \multicolumn{{{width}}}{{l}}{{\textit{{{latex(group.title)}}}}} \\")
        lines += [_latex_row([*map(latex, line.words), *map(_latex_cell, line.cells)]) for line in group.lines]
    lines += [r"    \bottomrule", r"  \end{tabular}", r"  \par\smallskip"]
    legend = _MARKED.format("Bold", "Underlined", "↑")
    lines += [rf"  {{\footnotesize {latex(note)}\par}}" for note in sheet.notes_with_legend(legend)]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def latex(text: str) -> str:
    """Text that LaTeX prints verbatim, on one line."""
    return "".join(_LATEX.get(character, character) for character in _BLANKS.sub(" ", text).strip())


def plain_text(sheet: Sheet) -> str:
    """Aligned columns for a terminal, signs after the values."""
    heads = [*sheet.word_heads, *sheet.cell_heads]
    rows = [
        [
            *(_BLANKS.sub(" ", word).strip() for word in line.words),
            *(f"{cell.in_words} {SIGNS.get(cell.mark, ' ')}" for cell in line.cells),
        ]
        for line in sheet.lines
    ]
    widths = [max(len(row[number]) for row in (heads, *rows)) for number in range(len(heads))]
    words = len(sheet.word_heads)

    def aligned(row: list[str]) -> str:
        cells = [
            each.ljust(w) if p < words else each.rjust(w) for p, (each, w) in enumerate(zip(row, widths, strict=True))
        ]
        return "  ".join(cells).rstrip()

    lines, done = [aligned(heads)], 0
    for group in sheet.groups:
        lines += ([_BLANKS.sub(" ", group.title).strip()] if group.title else []) + [
            aligned(row) for row in rows[done : done + len(group.lines)]
        ]
        done += len(group.lines)
    return "\n".join([*lines, "", *sheet.notes_with_legend()]) + "\n"


def _escaped(text: str) -> str:
    """Text that Markdown shows verbatim, on one line, also inside a pipe table."""
    return _MARKUP.sub(r"\\\1", _BLANKS.sub(" ", text).strip())


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _latex_cell(cell: TableCell) -> str:
    text = latex(cell.in_words)
    if cell.is_published and cell.value is not None:
        return rf"\textcolor{{gray}}{{{text}}}"
    command = {BEST: "textbf", INSEPARABLE: "underline"}.get(cell.mark)
    text = rf"\{command}{{{text}}}" if command else text
    return text + (r"~$\uparrow$" if cell.mark == ABOVE else "")


def _latex_row(cells: list[str]) -> str:
    return f"    {' & '.join(cells)} \\\\"


_CSV_PARTS = {  # besides the value, where any cell of a column has one
    "±": lambda cell: cell.error,
    "low": lambda cell: cell.low,
    "high": lambda cell: cell.high,
    "mark": lambda cell: cell.mark,
    "seeds": lambda cell: cell.seeds,
}


FORMATS = {"table": plain_text, "csv": csv_text, "latex": latex_text, "markdown": markdown_text}
ENDINGS = {"table": ".txt", "csv": ".csv", "latex": ".tex", "markdown": ".md"}
