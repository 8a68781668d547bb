"""A lesson file: Markdown with six rules, parsed by markdown-it-py; raw HTML and links are treated as text."""

import hashlib
import re
import unicodedata
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from pydantic import BeforeValidator, Field

from embedlab.config import Config, validated
from embedlab.errors import LessonError

STEPS, WORDS, ANSWERS = (3, 6), 80, (2, 4)
Inline = list[tuple[str, str]]  # ("", "text"), ("strong", …), ("em", …), ("code", …)
_PARSER = MarkdownIt("commonmark", {"html": False}).disable(["link", "autolink", "image", "reference", "html_block"])
_TASK = re.compile(r"\[([ xX])\]\s+")
_AXIS = re.compile(r"(.+?)\s+([-−]?[\d.]+)\s+to\s+([-−]?[\d.]+)\s*(%?)")
_NUMBER = re.compile(r"^\d+-(?=.)")  # of a built-in lesson's file


def _items(value: Any) -> Any:
    return [each.strip() for each in value.split(",") if each.strip()] if isinstance(value, str) else value


ItemT = TypeVar("ItemT")
Listed = Annotated[tuple[ItemT, ...], BeforeValidator(_items)]  # written as ``a, b``


class LessonHead(Config):
    """The lines between the two ``---`` at the beginning of a lesson."""

    title: str = Field(min_length=1, description="What the lesson is called.")
    goal: str = Field(min_length=1, description="What a student can do afterwards.")
    minutes: int = Field(ge=1, description="How long it takes.")
    runs: Listed[str] = Field((), description="Names of runs that facts and pictures use.")
    claims: tuple[str, ...] = Field((), alias="claim", description="What must hold, one claim a line.")
    corpus: str | None = Field(None, description="The corpus of the pocket encoder, if not the built-in one.")
    language: str = Field("en", description="The language of the text.")


class Axis(NamedTuple):
    """``kNN accuracy 0 to 100 %``: name, start, end and unit of an axis."""

    name: str
    low: float
    high: float
    unit: str


def _axis(written: str) -> Axis:
    match = _AXIS.fullmatch(written.strip())
    low, high = (float(match.group(group).replace("−", "-")) for group in (2, 3)) if match else (0, 0)
    if match is None or not low < high:
        raise ValueError("an axis is a name and its range, as in 'step 0 to 300'")
    return Axis(match.group(1), low, high, " %" if match.group(4) else "")


class NumberQuestion(Config):
    """A number to predict; without ``truth`` the answer is only recorded."""

    low: float = Field(0, description="The lowest number.")
    high: float = Field(100, description="The highest number.")
    truth: str | None = Field(None, description="A fact or a number.")
    close: float = Field(5, gt=0, description="How far off still counts as right.")


class DrawQuestion(Config):
    """A curve to predict."""

    x: Annotated[Axis, BeforeValidator(_axis)] = Field(description="Name and range, as in: step 0 to 300.")
    y: Annotated[Axis, BeforeValidator(_axis)] = Field(description="The same for the height.")
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
    def right(self) -> int | None:
        """Which of the choices is right."""
        return next((position for position, (is_right, _) in enumerate(self.choices) if is_right), None)

    @property
    def kind(self) -> Literal["choice", "number", "draw", "four", "none"]:
        """The kind of answer."""
        if self.picture is not None and "ask" in self.picture.settings:
            return "four"
        return "choice" if self.choices else "number" if self.number else "draw" if self.draw else "none"


class Lesson(LessonHead):
    """A whole lesson as in its file."""

    key: str = Field(description="The name of its file, in plain letters.")
    version: str = Field(description="Four digits of the file's hash.")
    steps: tuple[Step, ...] = Field(description="Three to six screens.")


def read_lesson(source: str, name: str) -> Lesson:
    """The lesson in a file called ``name``. Raises LessonError naming the rule that it breaks, and the step."""
    stem = name.rsplit("/", 1)[-1].removesuffix(".md")
    source = source.replace("\r\n", "\n").removeprefix("\ufeff")
    begin, _, rest = source.partition("\n")
    head, mark, body = rest.partition("\n---\n")
    if begin.strip() != "---" or not mark:
        raise _error(name, "must begin with lines 'key: value' between two lines '---': title, goal and minutes.")
    lines = _fields(head, name)
    fields = dict(lines) | {"claim": [value for key, value in lines if key == "claim"]}
    parts: list[list[SyntaxTreeNode]] = []
    for node in SyntaxTreeNode(_PARSER.parse(body)).children:
        if node.tag == "h2":
            parts.append([])
        elif not parts:
            raise _error(name, "has text before its first step. Begin the first step with '## Title'.")
        parts[-1].append(node)
    steps = tuple(_step(nodes, f"step {number} of {name}") for number, nodes in enumerate(parts, 1))
    if not STEPS[0] <= len(steps) <= STEPS[1]:
        raise _error(name, f"has {len(steps)} steps, and a lesson has {STEPS[0]} to {STEPS[1]}. Begin each with '## '.")
    letters = unicodedata.normalize("NFKD", _NUMBER.sub("", stem)).encode("ascii", "ignore").decode()  # ü as u
    key = re.sub(r"[^a-z0-9]+", "-", letters.lower()).strip("-") or "lesson"
    version = hashlib.sha256(source.encode()).hexdigest()[:4]
    head_fields = validated(LessonHead, fields, where=name).model_dump(by_alias=True)
    return Lesson(**head_fields, key=key, version=version, steps=steps)


def _step(nodes: list[SyntaxTreeNode], where: str) -> Step:
    step = Step(plain(_inline(nodes[0])))
    for node in nodes[1:]:
        key = node.info.strip() if node.type == "fence" else ""
        if node.type == "paragraph":
            step.paragraphs.append(_inline(node))
        elif node.type == "blockquote":
            step.why.extend(_inline(each) for each in node.walk() if each.type == "paragraph")
        elif node.type == "bullet_list":
            step.question, step.choices = _question(step, where), [_choice(item, where) for item in node.children]
        elif key in _QUESTIONS:
            step.question, fields = _question(step, where), dict(_fields(node.content, where))
            setattr(step, key, validated(_QUESTIONS[key], fields, where=f"{key} in {where}"))
        elif node.type == "fence":
            if step.picture is not None:
                raise _error(where, f"has two pictures, {step.picture.key!r} and {key!r}. Leave one.")
            settings = dict(_fields(node.content, where))
            if "ask" in settings:
                if step.kind != "none":
                    raise _error(where, "has two questions. Leave one.")
                step.question = [("strong", f"Which of the four is: {settings['ask']}?")]
            step.picture = LessonPicture(key, settings, settings.pop("when", None) == "after")
        else:
            raise _error(where, f"has a {node.type.replace('_', ' ')}, which a step cannot show.")
    for kind, inlines in (("text", step.paragraphs), ("why", step.why)):
        if (words := sum(len(plain(each).split()) for each in inlines)) > WORDS:
            raise _error(where, f"has {words} words of {kind}; the limit is {WORDS}. Shorten it.")
    if step.choices:
        if not ANSWERS[0] <= len(step.choices) <= ANSWERS[1]:
            raise _error(where, f"has {len(step.choices)} answers, and needs {ANSWERS[0]} to {ANSWERS[1]}.")
        if (right := sum(is_right for is_right, _ in step.choices)) != 1:
            raise _error(where, f"has {right} right answers, and needs exactly one. Mark that one with [x].")
    return step


def _question(step: Step, where: str) -> Inline:
    """The paragraph before answers, taken from the text."""
    if step.kind != "none":
        raise _error(where, "has two questions. Leave one.")
    if not step.paragraphs:
        raise _error(where, "has answers but no question. Write the question as the paragraph before them.")
    return step.paragraphs.pop()


def _choice(item: SyntaxTreeNode, where: str) -> tuple[bool, Inline]:
    inline = _inline(item)
    mark = _TASK.match(inline[0][1]) if inline and not inline[0][0] else None
    if mark is None:
        raise _error(where, f"has a list item {plain(inline)[:40]!r} that begins with neither '[ ]' nor '[x]'.")
    return mark.group(1) != " ", [("", inline[0][1][mark.end() :]), *inline[1:]]


def _fields(content: str, where: str) -> list[tuple[str, str]]:
    fields = [tuple(part.strip() for part in line.partition(":")) for line in content.split("\n") if line.strip()]
    for key, colon, _ in fields:
        if not colon:
            raise _error(where, f"has a line {key!r}, which is not 'key: value'.")
    return [(key, value) for key, _, value in fields]


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


def _error(where: str, sentence: str) -> LessonError:
    return LessonError("E-LESSON", f"{re.sub('^step', 'Step', where)} {sentence}")
