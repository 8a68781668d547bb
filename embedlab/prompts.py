"""Prompts: what an encoder puts before a text by the role that the text has, and what a run sets in their place."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, field_validator

from embedlab.config import Config
from embedlab.errors import SettingsError

Role = Literal["document", "query", "default", "none"]  # texts of a corpus are documents, what searches them is a query
Views = Literal["own", "none", "document", "query-document"]

TEXT = "{text}"  # where the text stands in an instruction
NONE = "none"  # the name of no prompt
_NAMES: dict[str, tuple[str, ...]] = {  # that sentence-transformers documents for encode_query and encode_document
    "query": ("query",),
    "document": ("document", "passage", "corpus"),
}
WITHOUT = {"document": "", "query": "", "default": ""}  # the settings of a run that puts nothing before any text
_NOUNS: dict[Role, str] = {"document": "texts", "query": "queries"}
_LONGEST = 80  # characters of a prompt that are repeated in a sentence
_LARGEST = 4_000  # characters of a prompt, and how many there may be of a stranger's: none is nearly as long


class PromptSettings(Config):
    """What a run puts before texts where that is not what its encoder puts there."""

    texts: str | None = Field(
        None,
        json_schema_extra={"label": "Prompt of the corpus's texts, by name", "empty": "that of documents"},
        description="Name of the encoder's prompt that the texts of the corpus are read with, such as clustering; none "
        "reads them without.",
    )
    query: str | None = Field(
        None,
        json_schema_extra={"label": "Before a query", "empty": "the encoder's own", "keeps_blanks": True},
        description='Put before a query; "" for nothing.',
    )
    document: str | None = Field(
        None,
        json_schema_extra={"label": "Before a text", "empty": "the encoder's own", "keeps_blanks": True},
        description='Put before a text of a corpus; "" for nothing.',
    )
    default: str | None = Field(
        None,
        json_schema_extra={"label": "Before any other text", "empty": "the encoder's own", "keeps_blanks": True},
        description='Put before a text that has no prompt of its role; "" for nothing.',
    )
    instruction: str | None = Field(
        None,
        json_schema_extra={"label": "Instruction before a query", "empty": "none", "keeps_blanks": True},
        description="An instruction that stands before a query and ends in {text}, which is the query.",
    )
    views: Views = Field(
        "own",
        json_schema_extra={"label": "Both views of a pair"},
        description="What both views of a training pair are read with. own: texts and their views as documents, given "
        "pairs as query and document; none: no prompt; document: both as documents; query-document: the first as a "
        "query, the others as documents.",
    )

    @field_validator("query", "document", "default")
    @classmethod
    def _before_the_text(cls, prompt: str | None) -> str | None:
        return prompt if prompt is None else _prefix("" if prompt == '""' else prompt)

    @field_validator("instruction")
    @classmethod
    def _holds_the_text(cls, instruction: str | None) -> str | None:
        if instruction is not None and TEXT not in instruction:
            raise ValueError(f"an instruction holds {TEXT} where the text stands")
        if instruction is not None:
            _prefix(instruction)
        return instruction

    def roles(self, views: int, *, are_pairs: bool, are_given: bool) -> tuple[Role, ...]:
        """The role of each view.

        ``are_pairs``: they are texts that are compared, not one text twice; ``are_given``: texts of given pairs, of
        which the first searches.
        """
        role: Role = "none" if self.views == "none" else "document"
        if are_pairs and (self.views == "query-document" or (self.views == "own" and are_given)):
            return ("query", *([role] * (views - 1)))
        return (role,) * views


class Prompts(Config):
    """The prompts of an encoder by their names, and which of them a role is read with."""

    by_name: dict[str, str] = Field(default_factory=dict, description="As the encoder's authors call them.")
    default_name: str | None = Field(None, description="The one of a text whose role has none.")
    by_role: dict[str, str] = Field(default_factory=dict, description="What a run set instead, by role.")
    are_pooled: bool = Field(True, description="Whether a prompt's tokens are part of the text's vector.")

    def of(self, role: Role) -> str:
        """What stands before a text of this role; the default prompt where the role has none of its own."""
        if role == "none":
            return ""
        if role in self.by_role:
            return self.by_role[role]
        named = (self.by_name.get(name, "") for name in _NAMES.get(role, ()))
        return next(filter(None, named), self.by_role.get("default", self.by_name.get(self.default_name or "", "")))

    def changed(self, settings: PromptSettings) -> "Prompts":
        """The same with what a run sets; a prompt that the encoder has not is refused."""
        set_here = {"default": settings.default, "document": settings.document, "query": settings.query}
        by_role = {role: prompt for role, prompt in set_here.items() if prompt is not None}
        by_name = dict(self.by_name)
        if settings.instruction is not None:
            by_name["instruction"] = _prefix(settings.instruction)
            by_role.setdefault("query", by_name["instruction"])
        if settings.texts is not None and "document" not in by_role:
            by_role["document"] = self.model_copy(update={"by_name": by_name}).named(settings.texts)
        if not by_role:
            return self
        return self.model_copy(update={"by_name": by_name, "by_role": {**self.by_role, **by_role}})

    def named(self, name: str) -> str:
        """The prompt of a name, or of the role that it names; ``none`` is no prompt."""
        if name == NONE:
            return ""
        if name in _NAMES and name not in self.by_name:
            return self.of(name)  # type: ignore[arg-type]
        if name not in self.by_name:
            raise SettingsError(
                "E-PROMPT",
                f"No prompt of this encoder is called {name[:40]!r}. Choose from: "
                f"{', '.join([*(each for each, prompt in self.by_name.items() if prompt), NONE])}.",
            )
        return self.by_name[name]

    @property
    def names(self) -> list[str]:
        """Those that put something before a text."""
        return [name for name, prompt in self.by_name.items() if prompt]

    @property
    def used(self) -> dict[Role, str]:
        """What is put before a text and before a query, where it is anything."""
        return {role: prompt for role in _NOUNS if (prompt := self.of(role))}

    @property
    def sentence(self) -> str | None:
        """How texts are read, for run, card and methods; None where nothing is put before any."""
        parts = [f"{_NOUNS[role]} with the prompt {shortened(prompt)!r}" for role, prompt in self.used.items()]
        if not parts:
            return None
        left_out = "" if self.are_pooled else "; the prompt's tokens are left out of the pooling"
        return f"The encoder reads {' and '.join(parts)}{left_out}."

    @classmethod
    def read(cls, config: Mapping[str, Any], by_role: object, *, are_pooled: bool) -> "Prompts":
        """From config_sentence_transformers.json, and by role from embedlab.json, which are strangers' files."""
        by_name, name = _strings(config.get("prompts")), config.get("default_prompt_name")
        return cls(
            by_name=by_name,
            default_name=name if isinstance(name, str) and name in by_name else None,
            by_role={role: text for role, text in _strings(by_role).items() if role != "none"},
            are_pooled=are_pooled,
        )

    @property
    def as_config(self) -> dict[str, dict[str, str] | str | None]:
        """For config_sentence_transformers.json, so that encode, encode_query and encode_document read alike."""
        prompts, default = dict(self.by_name), self.default_name
        for role in ("query", "document"):
            if role in self.by_role or self.of(role):
                prompts[role] = self.of(role)
        if "default" in self.by_role:
            default = "default" if self.by_role["default"] else None
            prompts |= {"default": self.by_role["default"]} if default else {}
        return {"prompts": prompts, "default_prompt_name": default}


def prompts_in_words(used: Mapping[str, str]) -> str | None:
    """``texts 'passage: ', queries 'query: '``, for a cell; None where nothing is put before any."""
    parts = (f"{_NOUNS[role]} {shortened(used[role])!r}" for role in _NOUNS if used.get(role))
    return ", ".join(parts) or None


def shortened(prompt: str) -> str:
    """As much of it as a sentence repeats."""
    return prompt if len(prompt) <= _LONGEST else f"{prompt[:_LONGEST]}…"


def _prefix(written: str) -> str:
    """What stands before the text; sentence-transformers puts nothing after it, so nothing may stand there."""
    prefix, text, rest = written.partition(TEXT)
    if text and rest:
        raise ValueError(f"{TEXT} has to stand at the end, because nothing is put behind a text")
    return prefix


def _strings(values: object) -> dict[str, str]:
    pairs = values.items() if isinstance(values, dict) else ()
    plain = {name: text for name, text in pairs if isinstance(text, str) and len(name) + len(text) <= _LARGEST}
    return dict(list(plain.items())[:_LARGEST])
