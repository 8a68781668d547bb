"""A lesson file: Markdown with six rules, parsed by markdown-it-py; raw HTML and links are treated as text."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token
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


@dataclass(frozen=True)
class Step:
    """One screen: an explanation, one question with one right answer, one picture, and the reason."""

    title: str
    paragraphs: list[Inline]
    question: Inline
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
    corpus: str | None
    language: str
    claims: tuple[str, ...]
    steps: tuple[Step, ...]
    version: str


def read_lesson(source: str, name: str) -> Lesson:
    """The lesson in a file called ``name``.

    Raises
    ------
    LessonError
        one of the rules is broken; the sentence says which, and in which step.
    """
    stem = name.rsplit("/", 1)[-1].removesuffix(".md")
    source = source.replace("\r\n", "\n").removeprefix("\ufeff")
    head, body = _front_matter(source, name)
    steps = _steps(body, name)
    if not STEPS[0] <= len(steps) <= STEPS[1]:
        raise _error(name, f"has {len(steps)} steps, and a lesson has {STEPS[0]} to {STEPS[1]}. Begin each with '## '.")
    return Lesson(
        key=re.sub(r"[^a-z0-9]+", "-", _NUMBER.sub("", stem).lower()).strip("-") or "lesson",
        title=head["title"],
        goal=head["goal"],
        minutes=head["minutes"],
        runs=tuple(head.get("runs", "").replace(",", " ").split()),
        corpus=head.get("corpus"),
        language=head.get("language", "en"),
        claims=tuple(head["claims"]),
        steps=tuple(steps),
        version=hashlib.sha256(source.encode()).hexdigest()[:4],
    )


def _front_matter(source: str, name: str) -> tuple[dict, str]:
    begin, _, rest = source.partition("\n")
    lines, mark, body = rest.partition("\n---\n")
    if begin.strip() != "---" or not mark:
        raise _error(name, "must begin with lines 'key: value' between two lines '---': title, goal and minutes.")
    head: dict = {"claims": []}
    for line in filter(str.strip, lines.split("\n")):
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not colon or key not in _HEAD:
            raise _error(name, f"has a line {line!r} between its '---', which is not one of: {', '.join(_HEAD)}.")
        if key == "claim":
            head["claims"].append(value)
        else:
            head[key] = value
    for key in ("title", "goal", "minutes"):
        if not head.get(key):
            raise _error(name, f"has no {key}. Write '{key}: …' between its '---'.")
    if not head["minutes"].isdigit():
        raise _error(name, f"has minutes: {head['minutes']!r}, which is not a whole number.")
    return head | {"minutes": int(head["minutes"])}, body


def _steps(body: str, name: str) -> list[Step]:
    parts: list[tuple[str, list[Token]]] = []
    for token in _PARSER.parse(body):
        if token.type == "heading_open" and token.tag == "h2":
            parts.append(("", []))
        elif not parts:
            raise _error(name, "has text before its first step. Begin the first step with '## Title'.")
        parts[-1][1].append(token)
    return [_step(tokens, f"step {number} of {name}") for number, (_, tokens) in enumerate(parts, 1)]


def _step(tokens: list[Token], where: str) -> Step:
    paragraphs: list[Inline] = []
    why: list[Inline] = []
    fields: dict = {}
    question_starts: dict[
        str, int
    ] = {}  # each way to answer, and how many paragraphs stand before it: the last is the question
    inside: list[str] = []
    for token in tokens[3:]:
        kind = token.type.removesuffix("_open")
        if kind in ("code_block", "heading", "ordered_list", "hr"):
            raise _error(where, f"has a {kind.replace('_', ' ')}, which a step cannot show.")
        if kind == "bullet_list":
            if "choices" in question_starts:
                raise _error(where, "has two lists of answers. Leave one.")
            fields["choices"], question_starts["choices"] = [], len(paragraphs)
        if token.nesting == 1:
            inside.append(kind)
        elif token.nesting == -1:
            inside.pop()
        elif kind == "inline" and "bullet_list" in inside:
            fields["choices"].append(_choice(token, where))
        elif kind == "inline":
            (why if "blockquote" in inside else paragraphs).append(_inline(token))
        elif kind == "fence":
            key, settings = token.info.strip(), _settings(token.content, where)
            if key in _QUESTIONS:
                fields[key] = validated(_QUESTIONS[key], settings, where=f"{key} in {where}")
                question_starts[key] = len(paragraphs)
                continue
            if "picture" in fields:
                raise _error(where, f"has two pictures, {fields['picture'].key!r} and {key!r}. Leave one.")
            after = settings.pop("when", None)
            fields["picture"] = LessonPicture(key, settings, after == "after")
            if "ask" in settings:
                question_starts["ask"] = len(paragraphs)
    if len(question_starts) > 1:
        raise _error(where, f"has {len(question_starts)} kinds of questions: {', '.join(question_starts)}. Leave one.")
    question: Inline = []
    if question_starts and "ask" not in question_starts:  # four maps ask by themselves
        (before,) = question_starts.values()
        if not before:
            raise _error(where, "has answers but no question. Write the question as the paragraph before them.")
        question = paragraphs.pop(before - 1)
    step = Step(plain(_inline(tokens[1])), paragraphs, question, why=why, **fields)
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


def _choice(token: Token, where: str) -> tuple[bool, Inline]:
    inline = _inline(token)
    mark = _TASK.match(inline[0][1]) if inline and not inline[0][0] else None
    if mark is None:
        raise _error(where, f"has a list item {token.content[:40]!r} that begins with neither '[ ]' nor '[x]'.")
    return mark.group(1) != " ", [("", inline[0][1][mark.end() :]), *inline[1:]]


def _settings(content: str, where: str) -> dict[str, str]:
    fields = {}
    for line in filter(str.strip, content.split("\n")):
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not colon:
            raise _error(where, f"has a line {line.strip()!r} in a fence, which is not 'key: value'.")
        fields[key] = value
    return fields


def _inline(token: Token) -> Inline:
    fields: Inline = []
    style = [""]
    for child in token.children or []:
        if child.type in ("strong_open", "em_open"):
            style.append(child.tag)
        elif child.type in ("strong_close", "em_close"):
            style.pop()
        elif child.type == "code_inline":
            fields.append(("code", child.content))
        else:
            text = " " if child.type in ("softbreak", "hardbreak") else child.content
            if fields and fields[-1][0] == style[-1]:
                fields[-1] = (style[-1], fields[-1][1] + text)
            elif text:
                fields.append((style[-1], text))
    return fields


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
