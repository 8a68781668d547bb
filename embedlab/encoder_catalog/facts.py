"""embedlab.json, in the folder of an encoder: what the files of transformers and sentence-transformers cannot say."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from embedlab.damage import read_model
from embedlab.store_root import read_json_if_whole, write_json

FACTS = "embedlab.json"


class EncoderFacts(BaseModel):
    """What such a file may say; fields of others are kept."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    reference: str | None = None  # as for ``--encoder``
    pooling: str | None = None  # as embedlab reads it: sentence-transformers has no word for token-7
    exported_pooling: str | None = None  # the one written for sentence-transformers
    max_length: int | None = None  # in tokens
    dim: int | None = None
    layers: int | None = None
    format: str | None = None  # of an export: its weights, such as fp16
    weights_sha256: str | None = None
    prompts_by_role: dict[str, object] | None = None
    note: str | None = None
    saw_labels: bool | None = None
    hub_id: str | None = None  # of a copy of the hub, as the rest
    revision: str | None = None  # a branch, tag or commit
    commit: str | None = None
    converted_from: str | None = None  # the commit whose weights are pickled
    from_cache: bool | None = None
    sha256: dict[str, str] | None = None  # by file

    @classmethod
    def of_stranger(cls, content: Mapping[str, object]) -> "EncoderFacts":
        """What fits of a file that anybody may have written; a field with another kind of value is left out."""
        try:
            return cls.model_validate(dict(content))
        except ValidationError as error:
            wrong = {each["loc"][0] for each in error.errors()}
            return cls.model_validate({name: value for name, value in content.items() if name not in wrong})

    def write(self, folder: Path) -> None:
        """Into the folder of an encoder; what is None is left out."""
        write_json(folder / FACTS, self.model_dump(exclude_none=True))


class SavedFacts(EncoderFacts):
    """Of an encoder that embedlab has saved."""

    exported_pooling: str
    max_length: int
    dim: int
    layers: int


def read_saved_facts(folder: Path) -> SavedFacts:
    """Of an encoder of the store; ``UnreadableFile`` where the file is damaged, ``MissingFile`` where there is none."""
    return read_model(folder / FACTS, SavedFacts)


def facts_if_whole(folder: Path) -> EncoderFacts:
    """Of any folder; empty where there is no such file, or one that is damaged."""
    return EncoderFacts.of_stranger(read_json_if_whole(folder / FACTS) or {})
