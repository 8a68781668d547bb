"""Requests that add to the store: corpora, encoders, evaluation sets, pairs, summaries, imported vectors."""

from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from embedlab.config import Config, NameText, PathText, Request
from embedlab.corpora.proposal import Reading
from embedlab.corpora.sets.pairs import PairReading
from embedlab.corpora.sets.reading import SetReading
from embedlab.corpora.sets.stored import PairsInfo, SetInfo
from embedlab.corpora.stored.shelf import CorpusInfo
from embedlab.encoder_catalog.catalog import EncoderReference, absolute_reference
from embedlab.measurement import ResultPart
from embedlab.numbers import counted
from embedlab.plain_text import clean_name

ROLES = ("before", "after", "coordinates", "coordinates_after")  # of a file of vectors


class ReadCorpus(Request):
    """Read a corpus into the store."""

    task: ClassVar[str] = "ingest"
    reference: str = Field(
        description="docs, a name from the catalog, a file, a folder, hf:owner/name or a fingerprint."
    )
    reading: Reading = Field(Reading(), description="Columns and dialect; what is left out is proposed.")
    file_name: NameText = Field("", description="The user's name for an uploaded file, whose path is generated.")


class AddedCorpus(ResultPart):
    """The result of all that adds a corpus."""

    fingerprint: str
    corpus: CorpusInfo


class FetchCorpus(Request):
    """Download a corpus and read it."""

    task: ClassVar[str] = "fetch"
    corpus: str = Field(description="A name from the catalog, or hf:owner/name.")
    reading: Reading = Field(Reading(), description="Columns and dialect; what is left out is proposed.")


class FetchTable(Request):
    """Download one split of a hub data set as one table."""

    task: ClassVar[str] = "fetch_table"
    reference: str = Field(description="hf:owner/name[@revision][:configuration[:split]].")
    usual: tuple[str, ...] = Field((), description="Splits in the order in which one is chosen, where none is named.")


class FetchedTable(ResultPart):
    """The result: where the table lies, and sentences on which files it is made of."""

    path: Path
    commit: str
    notes: tuple[str, ...]


class FetchEncoder(Request):
    """Download an encoder."""

    task: ClassVar[str] = "fetch_encoder"
    encoder: str = Field(description="A name from the catalog, or hf:owner/name.")
    update: bool = Field(False, description="Fetch its newest version, though one is in the store; runs keep theirs.")


class FetchedEncoder(ResultPart):
    """The result: where the encoder lies, and the commit that was there before, where the newest was asked for."""

    encoder: str
    path: Path
    before: str | None

    @property
    def commit(self) -> str:
        """The one that it is now."""
        return self.path.name.rpartition("@")[2]


class ReadSet(Request):
    """Read an evaluation set into the store."""

    task: ClassVar[str] = "read_set"
    path: PathText = Field(description="A file, or a folder or zip as BEIR keeps them.")
    reading: SetReading = Field(SetReading(), description="Columns and split; what is left out is proposed.")
    file_name: NameText = Field("", description="What the user calls an uploaded file.")
    judges: bool = Field(False, description="It is to judge training: its development split is the usual one.")


class AddedSet(ResultPart):
    """The result."""

    fingerprint: str
    set: SetInfo


class ReadPairs(Request):
    """Read given pairs into the store."""

    task: ClassVar[str] = "read_pairs"
    path: PathText = Field(description="A file of pairs.")
    reading: PairReading = Field(PairReading(), description="Columns and split; what is left out is proposed.")
    file_name: NameText = Field("", description="What the user calls an uploaded file.")
    with_corpus: bool = Field(False, description="Store their texts as a corpus too.")


class AddedPairs(ResultPart):
    """The result; ``corpus``: the fingerprint of their texts, None if not requested."""

    fingerprint: str
    pairs: PairsInfo
    corpus: str | None


class Mining(Config):
    """How many negatives each pair gets, and which candidates are negatives; scores are cosines to the anchor."""

    negatives: int = Field(3, ge=1, le=100, description="Negatives of each pair; pairs with fewer are left out.")
    range_min: int = Field(0, ge=0, description="Skip this many of the nearest candidates.")
    range_max: int | None = Field(
        None, ge=1, description="Consider candidates up to this rank; None takes as many as the other settings need."
    )
    max_score: float | None = Field(None, ge=-1, le=1, description="Remove candidates with a higher cosine.")
    min_score: float | None = Field(None, ge=-1, le=1, description="Remove candidates with a lower cosine.")
    absolute_margin: float | None = Field(
        None, ge=0, le=2, description="Remove candidates less than this below the lowest cosine of a positive."
    )
    relative_margin: float | None = Field(
        None, ge=0, le=2, description="The same as a share of that cosine: 0.05 keeps those at least 5 % below."
    )
    sampling: Literal["top", "random"] = Field("top", description="Take the nearest candidates, or draw at random.")
    seed: int = Field(0, ge=0, description="Seed of random draws.")

    @model_validator(mode="after")
    def _room_for_negatives(self) -> "Mining":
        room = self.negatives if self.range_max is None else max(0, self.range_max - self.range_min)
        if room < self.negatives:
            raise ValueError(
                f"ranks {self.range_min} to {self.range_max} leave room for {counted(room, 'negative')}, but "
                f"{self.negatives} are needed; raise range_max, or lower range_min or negatives"
            )
        return self

    def last_rank(self, most_positives: int) -> int:
        """``range_max``, or as many ranks as sentence-transformers considers where it is not given."""
        if self.range_max is not None:
            return self.range_max
        can_remove_many = (self.max_score, self.absolute_margin, self.relative_margin) != (None, None, None)
        return self.range_min + self.negatives * (10 if can_remove_many else 1) + most_positives


class MineNegatives(Request):
    """Mine hard negatives of stored pairs by an encoder."""

    task: ClassVar[str] = "mine"
    pairs: str = Field(description="The fingerprint of stored pairs.")
    encoder: EncoderReference = Field(description="The encoder by which texts are near.")
    settings: Mining = Field(Mining(), description="Which texts are negatives, and how many.")


class MinedPair(ResultPart):
    """A pair with the negatives that were mined for it; scores are cosines to the anchor."""

    anchor: str
    positive: str
    positive_score: float
    negatives: list[str]
    scores: list[float]


class UsedPairs(ResultPart):
    """The stored pairs that negatives were mined for, and how many of them match."""

    name: str
    fingerprint: str
    used: int


class MinedNegatives(ResultPart):
    """The result of mining: how many pairs have negatives, how near these are, and the first pairs with them."""

    pairs: UsedPairs
    mined: int  # pairs that have all their negatives
    without: int  # pairs that are left out
    negatives: int  # of each pair
    anchors: int
    texts: int  # that were searched
    removed: dict[str, int]  # candidates, by the reason
    positive_score: float
    negative_score: float
    settings: Mining
    examples: list[MinedPair]


class MakeSubset(Request):
    """Make a corpus from the texts of a selection."""

    task: ClassVar[str] = "subset"
    selection: str = Field(description="The selection's id.")
    name: NameText = Field("", description="The name of the corpus; the selection's name where nothing is given.")


class ChooseTexts(Request):
    """Choose the texts of a corpus to be labelled by hand."""

    task: ClassVar[str] = "choose_texts"
    corpus: str = Field(description="The fingerprint of a stored corpus.")


class Summarise(Request):
    """Summarise the texts of a corpus."""

    task: ClassVar[str] = "summarise"
    corpus: str = Field(description="The fingerprint of a stored corpus.")
    summariser: str = Field(description="local, endpoint or extractive.")
    settings: dict = Field(default_factory=dict, description="The summarizer's own settings.")
    continuations: int = Field(3, ge=1, le=20, description="Summaries for each of the five prompts; the paper's 3.")
    limit: int | None = Field(None, ge=1, description="Only this many texts, drawn at random but always the same ones.")
    estimate: bool = Field(False, description="Only a few texts, to estimate the time for all.")

    @field_validator("settings")
    @classmethod
    def _absolute_model(cls, settings: dict[str, Any], fields: ValidationInfo) -> dict[str, Any]:
        """A local model may be a folder, which its worker could not find by a relative path."""
        model = settings.get("model")
        if fields.data.get("summariser") != "local" or not isinstance(model, str):
            return settings
        return settings | {"model": absolute_reference(model)}

    @property
    def waits_for(self) -> str:
        """None for an endpoint or the extractive stand-in: they leave the device to others and queue separately."""
        return "auto" if self.summariser == "local" else self.summariser


class SummariesEstimate(ResultPart):
    """What the remaining summaries of a corpus would take: the result where an estimate was asked for."""

    corpus: str
    asked_texts: int
    done: int
    texts: int  # that are left
    requests: int
    tokens_read: int
    tokens_written: int
    seconds: float
    probe_texts: int
    basis: str


class VectorFile(Config):
    """One file of vectors, and its original name if it was uploaded."""

    path: PathText
    name: NameText = ""
    column: str | None = None
    ids: str | None = None  # by what it is joined with the corpus, as ``joined_rows`` has it
    as_numbers: bool = False  # what looks like packed bits is none


class BringVectors(Request):
    """Make a run from imported vectors: embeddings of one or two encoders, coordinates, or both."""

    task: ClassVar[str] = "bring"
    corpus: str
    name: NameText = ""
    before: VectorFile | None = None
    after: VectorFile | None = None
    coordinates: VectorFile | None = None
    coordinates_after: VectorFile | None = None
    maps: bool = True

    @property
    def run_name(self) -> str:
        """Its own, or that of its files."""
        return self.name.strip() or " and ".join(dict.fromkeys(self.names.values()))

    @property
    def names(self) -> dict[str, str]:
        """The file given for each role."""
        given = {role: getattr(self, role) for role in ROLES}
        own = {role: file.name or file.path.replace("\\", "/").rsplit("/")[-1] for role, file in given.items() if file}
        return {role: clean_name(name) for role, name in own.items()}


class ImportedRun(ResultPart):
    """The result: the run's id."""

    run: str
