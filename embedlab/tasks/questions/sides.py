"""Which two encoders a question is about: before and after of one run, or any two sides that it names."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from embedlab.distance import DISTANCES, EUCLIDEAN, Distance
from embedlab.encoders.embed import embed
from embedlab.errors import SettingsError
from embedlab.runs.brought import is_own, no_encoder
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import open_run
from embedlab.runs.vectors import StoredVectors, stored_vectors
from embedlab.tasks.encoders import encoder_of_run

NAMES = ("before", "after")


@dataclass(frozen=True)
class Side:
    """One encoder of one run, and the other run whose map its own is laid onto, if it is."""

    run: RunFolder
    name: str
    onto: str | None = None

    @property
    def encoder(self):
        """Kept warm; refused with a sentence where the run has none."""
        if is_own(self.run):
            raise no_encoder(self.run)
        return _encoder(self.run.path, self.name, self.run.encoder.stat().st_mtime_ns)

    @property
    def vectors(self) -> StoredVectors:
        """The embeddings of the corpus."""
        return stored_vectors(self.run, self.name)


def sides_of(question: dict) -> dict[str, Side]:
    """``sides``: for ``before`` (left) and ``after`` (right) ``{run, name, onto?}``; by default those of ``run``."""
    asked = question.get("sides") or {name: {"run": question["run"], "name": name} for name in NAMES}
    return {name: Side(open_run(asked[name]["run"]), asked[name]["name"], asked[name].get("onto")) for name in NAMES}


def distance_of(question: dict) -> Distance:
    """``distance``: by which texts are near, Euclidean where the question does not say."""
    asked = question.get("distance", EUCLIDEAN)
    if asked not in DISTANCES:
        raise SettingsError("E-CONFIG", f"The distance must be one of {', '.join(DISTANCES)}, but found {asked!r}.")
    return asked


def embedded(encoder, texts: list[str]):
    """(texts, dim) float32"""
    return embed(encoder, texts, device="cpu")


def is_known(encoder, text: str) -> bool:
    """Whether the encoder has a token of the text, other than [UNK] and its kin."""
    return any(token not in encoder.special_token_ids for token in encoder.tokenize([text])[0])


@lru_cache(maxsize=4)
def _encoder(path: Path, name: str, changed: int):
    return encoder_of_run(RunFolder(path), name).eval()
