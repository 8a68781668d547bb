"""A lesson file: Markdown with six rules, parsed by markdown-it-py; raw HTML and links are treated as text."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from pydantic import Field

from embedlab.config import Config, validated
from embedlab.errors import LessonError

STEPS, WORDS, ANSWERS = (3, 6), 80, (2, 4)
Inline = list[tuple[str, str]]  # ("", "text"), ("strong", …), ("em", …), ("code", …)
_PARSER = MarkdownIt("commonmark", {"html": False}).disable(["link", "autolink", "image", "reference", "html_block"])
_TASK = re.compile(r"\[([ xX])\]\s+")
_AXIS = re.compile(r"(.+?)\s+([-−]?[\d.]+)\s+to\s+([-−]?[\d.]+)\s*(%?)")
_NUMBER = re.compile(r"^\d+-(?=.)")  # of a built-in lesson's file
_HEAD = ("title", "goal", "minutes", "runs", "corpus", "language", "claim")


class NumberQuestion(Config):
    """A number to predict; without ``truth`` the answer is only recorded."""

    low: float = Field(0, description="The lowest number.")
    high: float = Field(100, description="The highest number.")
    truth: str | None = Field(None, description="A fact or a number.")
    close: float = Field(5, gt=0, description="How far off still counts as right.")


class DrawQuestion(Config):
    """A curve to predict."""

    x: str = Field(description="Name and range, as in: step 0 to 300.")
    y: str = Field(description="The same for the height: kNN accuracy 0 to 100 %.")
    start: str | None = Field(None, alias="from", description="A fact or a number where the curve begins.")
    truth: str = Field(description="A fact that is a curve.")


_QUESTIONS: dict[str, type[Config]] = {"number": NumberQuestion, "draw": DrawQuestion}


@dataclass(frozen=True)
class LessonPicture:
    """A fence named after a view, with its settings as written."""

    key: str
    settings: dict[str, str]
    is_after: bool = False  # shown once predicted


@dataclass
class Step:
    """One screen: an explanation, one question with one right answer, one picture, and the reason."""

    title: str
    paragraphs: list[Inline] = field(default_factory=list)
    question: Inline = field(default_factory=list)
    choices: list[tuple[bool, Inline]] = field(default_factory=list)
    number: NumberQuestion | None = None
    draw: DrawQuestion | None = None
    picture: LessonPicture | None = None
    why: list[Inline] = field(default_factory=list)

    @property
    def kind(self) -> Literal["choice", "number", "draw", "four", "none"]:
        """The kind of answer."""
        if self.picture is not None and "ask" in self.picture.settings:
            return "four"
        return "choice" if self.choices else "number" if self.number else "draw" if self.draw else "none"


@dataclass(frozen=True)
class Lesson:
    """A whole lesson as in its file; ``version`` is four digits of the file's hash."""

    key: str
    title: str
    goal: str
    minutes: int
    runs: tuple[str, ...]
    claims: tuple[str, ...]
    steps: tuple[Step, ...]
    version: str
    corpus: str | None = None
    language: str = "en"


def read_lesson(source: str, name: str) -> Lesson:
    """The lesson in a file called ``name``. Raises LessonError naming the rule that it breaks, and the step."""
    stem = name.rsplit("/", 1)[-1].removesuffix(".md")
    source = source.replace("\r\n", "\n").removeprefix("\ufeff")
    head, body = _front_matter(source, name)
    steps = _steps(body, name)
    if not STEPS[0] <= len(steps) <= STEPS[1]:
        raise _error(name, f"has {len(steps)} steps, and a lesson has {STEPS[0]} to {STEPS[1]}. Begin each with '## '.")
    letters = unicodedata.normalize("NFKD", _NUMBER.sub("", stem)).encode("ascii", "ignore").decode()  # ü as u
    key = re.sub(r"[^a-z0-9]+", "-", letters.lower()).strip("-") or "lesson"
    return Lesson(key, steps=tuple(steps), version=hashlib.sha256(source.encode()).hexdigest()[:4], **head)


def _front_matter(source: str, name: str) -> tuple[dict[str, Any], str]:
    """The fields of Lesson between the two lines ``---``, and what follows them."""
    begin, _, rest = source.partition("\n")
    lines, mark, body = rest.partition("\n---\n")
    if begin.strip() != "---" or not mark:
        raise _error(name, "must begin with lines 'key: value' between two lines '---': title, goal and minutes.")
    head, claims = {}, []
    for line in filter(str.strip, lines.split("\n")):
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not colon or key not in _HEAD:
            raise _error(name, f"has a line {line!r} between its '---', which is not one of: {', '.join(_HEAD)}.")
        if key == "claim":
            claims.append(value)
        else:
            head[key] = value
    for key in ("title", "goal", "minutes"):
        if not head.get(key):
            raise _error(name, f"has no {key}. Write '{key}: …' between its '---'.")
    if not head["minutes"].isdigit():
        raise _error(name, f"has minutes: {head['minutes']!r}, which is not a whole number.")
    runs = head.get("runs", "").replace(",", " ").split()
    return head | {"minutes": int(head["minutes"]), "runs": tuple(runs), "claims": tuple(claims)}, body


def _steps(body: str, name: str) -> list[Step]:
    parts: list[list[SyntaxTreeNode]] = []
    for node in SyntaxTreeNode(_PARSER.parse(body)).children:
        if node.tag == "h2":
            parts.append([])
        elif not parts:
            raise _error(name, "has text before its first step. Begin the first step with '## Title'.")
        parts[-1].append(node)
    return [_step(nodes, f"step {number} of {name}") for number, nodes in enumerate(parts, 1)]


def _step(nodes: list[SyntaxTreeNode], where: str) -> Step:
    step, questions = Step(plain(_inline(nodes[0]))), {}  # each way to answer, and the paragraphs before it
    for node in nodes[1:]:
        key = node.info.strip() if node.type == "fence" else ""
        if node.type == "paragraph":
            step.paragraphs.append(_inline(node))
        elif node.type == "blockquote":
            step.why.extend(_inline(each) for each in node.walk() if each.type == "paragraph")
        elif node.type == "bullet_list":
            if step.choices:
                raise _error(where, "has two lists of answers. Leave one.")
            step.choices = [_choice(item, where) for item in node.children]
            questions["choices"] = len(step.paragraphs)
        elif key in _QUESTIONS:
            setattr(step, key, validated(_QUESTIONS[key], _settings(node.content, where), where=f"{key} in {where}"))
            questions[key] = len(step.paragraphs)
        elif node.type == "fence":
            if step.picture is not None:
                raise _error(where, f"has two pictures, {step.picture.key!r} and {key!r}. Leave one.")
            settings = _settings(node.content, where)
            step.picture = LessonPicture(key, settings, settings.pop("when", None) == "after")
            if "ask" in settings:
                questions["ask"] = len(step.paragraphs)
        else:
            raise _error(where, f"has a {node.type.replace('_', ' ')}, which a step cannot show.")
    if len(questions) > 1:
        raise _error(where, f"has {len(questions)} kinds of questions: {', '.join(questions)}. Leave one.")
    if questions and "ask" not in questions:  # four maps ask by themselves
        (before,) = questions.values()
        if not before:
            raise _error(where, "has answers but no question. Write the question as the paragraph before them.")
        step.question = step.paragraphs.pop(before - 1)
    _check(step, where)
    return step


def _check(step: Step, where: str) -> None:
    for kind, parts in (("text", step.paragraphs), ("why", step.why)):
        if (words := sum(len(plain(each).split()) for each in parts)) > WORDS:
            raise _error(where, f"has {words} words of {kind}; the limit is {WORDS}. Shorten it.")
    if step.choices:
        if not ANSWERS[0] <= len(step.choices) <= ANSWERS[1]:
            raise _error(where, f"has {len(step.choices)} answers, and needs {ANSWERS[0]} to {ANSWERS[1]}.")
        if (right := sum(is_right for is_right, _ in step.choices)) != 1:
            raise _error(where, f"has {right} right answers, and needs exactly one. Mark that one with [x].")


def _choice(item: SyntaxTreeNode, where: str) -> tuple[bool, Inline]:
    inline = _inline(item)
    mark = _TASK.match(inline[0][1]) if inline and not inline[0][0] else None
    if mark is None:
        raise _error(where, f"has a list item {plain(inline)[:40]!r} that begins with neither '[ ]' nor '[x]'.")
    return mark.group(1) != " ", [("", inline[0][1][mark.end() :]), *inline[1:]]


def _settings(content: str, where: str) -> dict[str, str]:
    fields = {}
    for line in filter(str.strip, content.split("\n")):
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not colon:
            raise _error(where, f"has a line {line.strip()!r} in a fence, which is not 'key: value'.")
        fields[key] = value
    return fields


def _inline(node: SyntaxTreeNode) -> Inline:
    """The text in a paragraph, heading or list item by style; neighbors of one style are joined."""
    fields: Inline = []
    for each in node.walk():
        if each.children or each is node:
            continue
        around = each if each.type == "code_inline" else each.parent
        style = around.tag if around and around.type in ("code_inline", "strong", "em") else ""
        fields.append((style, each.content or (" " if each.type in ("softbreak", "hardbreak") else "")))
    joined = ((style, "".join(text for _, text in same)) for style, same in groupby(fields, key=itemgetter(0)))
    return [(style, text) for style, text in joined if text]


def plain(inline: Inline) -> str:
    """The text without styles."""
    return "".join(text for _, text in inline)


def near(name: str, names: Iterable[str]) -> str:
    """`` Did you mean …?`` with the most similar names, or an empty string."""
    fields = get_close_matches(name, list(names), n=3, cutoff=0.5)
    return f" Did you mean {', '.join(fields)}?" if fields else ""


def read_axis(written: str) -> tuple[str, float, float]:
    """``kNN accuracy 0 to 100 %``: name, start and end. Raises LessonError."""
    match = _AXIS.fullmatch(written.strip())
    low, high = (float(match.group(group).replace("−", "-")) for group in (2, 3)) if match else (0, 0)
    if match is None or not low < high:
        message = f"An axis is a name and its range, as in 'step 0 to 300', but found {written!r}. Write it like that."
        raise LessonError("E-LESSON-AXIS", message)
    return match.group(1), low, high


def _error(where: str, sentence: str) -> LessonError:
    return LessonError("E-LESSON", f"{re.sub('^step', 'Step', where)} {sentence}")
