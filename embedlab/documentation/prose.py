"""The prose of a documentation string: its paragraphs, without parameters, code, tables and directives."""

import inspect
import re
from collections.abc import Callable

_DROPPED_SECTIONS = re.compile(
    r"((other |keyword |type )?(args?|arguments|parameters|params)|kwargs|returns?|yields?|raises|receives|warns|usage"
    r"|attributes?|methods|properties|members|variables|inputs?|outputs?|shapes?|see also|references?|todo)"
    r"\b[^.:]{0,40}:*",
    re.IGNORECASE,
)
_CALLOUTS = ("note", "warning", "important", "tip", "caution", "attention", "hint", "admonition")  # they hold prose
_CALLOUT_LINE = re.compile(r"(notes?|warnings?|important|tip)s?:", re.IGNORECASE)
_FENCE = re.compile(r"\s*(```|~~~)")
_UNDERLINE, _UNDERLINES = re.compile(r"([-=~^])\1{2,}"), frozenset(("---", "===", "~~~", "^^^"))
_TABLE = re.compile(r"^\s*[|+]|={3,}\s+={3,}|-{3,}\s+-{3,}|\s\|\s|^\s*([-=~^\"'*+#])\1{2,}\s*$")
_DIRECTIVE = re.compile(r"\.\.(\s+([\w-]+)::\s*(.*))?")
_FIELD = re.compile(r":[\w ,*]+:")
_BULLET = re.compile(r"([-*+•]|\(?\d+[.)]|\(?[a-z][.)])\s+")

_ROLE = re.compile(r":[\w:+-]+:`[~!]?([^`<]*?)\s*(?:<[^`]*>)?`")
_LINK = re.compile(r"`([^`<]+?)\s*<[^`>]+>`__?")
_MARKDOWN_LINK = re.compile(r"!?\[([^\]]+)\]\([^)]*\)")
_CITATION = re.compile(r"\s*\[\w+\]_")
_ADDRESS = re.compile(r"<?https?://\S+?>?(?=[\s)\].,]|$)")
_SYMBOL = re.compile(r"[^\w ]|[\d_]")
_ANNOUNCEMENT = re.compile(r"(?:^|(?<=[.!?])\s)[^.!?]*:$")  # "For example:" before code that is gone


def prose(docstring: str) -> str:
    """The paragraphs that are sentences, on one line; ``""`` where there are none."""
    paragraphs = []
    for paragraph in _DocstringLines(docstring).paragraphs():
        text = _ROLE.sub(lambda role: role.group(1).rsplit(".", 1)[-1], paragraph)
        text = _MARKDOWN_LINK.sub(r"\1", _LINK.sub(r"\1", text))
        text = _ADDRESS.sub("", _CITATION.sub("", text))
        text = text.replace("`", "").replace("**", "").replace("::", ":")
        text = _ANNOUNCEMENT.sub("", " ".join(text.split())).strip()
        is_sentence = text.endswith((".", "!", "?", ")")) and text.count(" ") >= 4
        if is_sentence and len(_SYMBOL.findall(text)) <= 0.2 * len(text):
            paragraphs.append(text)
    return " ".join(paragraphs)


class _DocstringLines:
    """Walks a docstring's lines once; prose stands at the margin, what is deeper belongs to something else."""

    def __init__(self, docstring: str):
        self.lines = inspect.cleandoc(docstring).splitlines()
        self.at = 0
        self.margin = 0  # the indent at which prose stands: 0, or deeper inside a note
        self.bullet: int | None = None  # the indent of the list entry being read
        self.open: list[str] = []  # lines of the paragraph being read
        self.closed: list[str] = []

    def paragraphs(self) -> list[str]:
        """Every paragraph at the margin and every list entry."""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.at += 1
            self._read(line.strip(), len(line) - len(line.lstrip()))
        self._close()
        return self.closed

    def _read(self, line: str, indent: int) -> None:
        if not line:
            self._close()
        elif line[0] in "`~" and _FENCE.match(line):
            self._skip_while(lambda following: not _FENCE.match(following))
            self.at += 1
        elif line.startswith(">>>"):
            self._skip_while(str.strip)
        elif line.startswith(".."):
            self._read_directive(line, indent)
        elif self._is_heading(line):
            self._close()
            self.at += 1
            if _DROPPED_SECTIONS.fullmatch(line):
                self._skip_while(lambda _: not self._is_heading(self.lines[self.at].strip()))
        elif line[-1] == ":" and _CALLOUT_LINE.fullmatch(line):
            self._enter_callout()
        elif (line[0] == ":" and _FIELD.match(line)) or (line[-1] == ":" and _DROPPED_SECTIONS.fullmatch(line)):
            self._skip_deeper(indent)
        elif _is_of_table(line):
            self._close()
        else:
            self._read_prose(line, indent)

    def _read_prose(self, line: str, indent: int) -> None:
        self.margin = min(self.margin, indent)
        if mark := _BULLET.match(line):
            self._close()
            self.bullet = indent
            self.open.append(line[mark.end() :])
            return
        if self.bullet is not None and indent <= self.bullet:
            self._close()
        if indent > self.margin and self.bullet is None:
            self._close()
        elif line.endswith(":") and self._next_indent() > indent and self.bullet is None:
            self._skip_deeper(indent)  # a term whose definition follows: a parameter
        else:
            self.open.append(line)
            if line.endswith("::"):
                self._skip_deeper(indent)

    def _read_directive(self, line: str, indent: int) -> None:
        directive = _DIRECTIVE.match(line)
        _, name, text = directive.groups("") if directive else ("", "", "")
        if name.lower() not in _CALLOUTS:
            self._skip_deeper(indent)
            return
        self._enter_callout()
        if text and name.lower() != "admonition":
            self.open.append(text)

    def _enter_callout(self) -> None:
        self._close()
        following = (line for line in self.lines[self.at :] if line.strip())
        self.margin = next((len(line) - len(line.lstrip()) for line in following), 0)

    def _is_heading(self, line: str) -> bool:
        if self.at >= len(self.lines) - 1:
            return False
        below = self.lines[self.at].strip()
        if below == line:
            below = self.lines[self.at + 1].strip()
        return bool(line) and below[:3] in _UNDERLINES and bool(_UNDERLINE.fullmatch(below))

    def _next_indent(self) -> int:
        following = self.lines[self.at] if self.at < len(self.lines) else ""
        return len(following) - len(following.lstrip()) if following.strip() else -1

    def _skip_deeper(self, indent: int) -> None:
        self._skip_while(lambda line: not line.strip() or len(line) - len(line.lstrip()) > indent)

    def _skip_while(self, holds: Callable[[str], object]) -> None:
        self._close()
        while self.at < len(self.lines) and holds(self.lines[self.at]):
            self.at += 1

    def _close(self) -> None:
        if self.open:
            self.closed.append(" ".join(self.open))
        self.open, self.bullet = [], None


def _is_of_table(line: str) -> bool:
    """Whether the line has columns, or is a rule; most lines have nothing of the kind, and need no pattern."""
    may_be = line[0] in "+-=~^\"'*#" or "|" in line or "===" in line or "---" in line
    return may_be and _TABLE.search(line) is not None
