"""An encoder as mteb expects it, and one task on it: read from a folder, scored without mteb's shared cache."""

import hashlib
import json
import math
import time
import warnings
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from embedlab.benchmarks.base import BenchmarkTask
from embedlab.encoders.embed import embed
from embedlab.encoders.encoder import Encoder
from embedlab.errors import CorpusError
from embedlab.later import F, Tensor, torch
from embedlab.progress import Progress, in_words, silent
from embedlab.prompts import Role
from embedlab.runs.benchmark_scores import StoredScore

if TYPE_CHECKING:
    from mteb.abstasks import AbsTask
    from mteb.abstasks.task_metadata import TaskMetadata
    from mteb.models.model_meta import ModelMeta

_POWERS = {"euclidean": 2.0, "manhattan": 1.0}  # of distances, whose negative is a similarity
_NOT_VECTORS = ("architectures", "dtype", "torch_dtype", "transformers_version")  # of a model's configuration


class Adapter:
    """mteb's EncoderProtocol around one encoder. ``name`` is a run's id or an encoder's reference."""

    def __init__(self, encoder: Encoder, *, name: str, device: str = "cpu", progress: Progress = silent):
        self.encoder = encoder
        self.name = name
        self.device = device
        self.progress = progress
        self.vectors_hash = vectors_hash(encoder)

    @cached_property
    def mteb_model_meta(self) -> "ModelMeta":
        """By name and revision mteb keys its results: with the vectors' hash no two encoders ever share one."""
        from mteb.models.model_meta import ModelMeta

        return ModelMeta.create_empty({"name": f"embedlab/{self.name}", "revision": self.vectors_hash})

    def encode(
        self,
        inputs: Iterable[dict[str, list[str]]],
        *,
        task_metadata: "TaskMetadata",
        hf_split: str,
        hf_subset: str,
        prompt_type: object = None,
        **options: object,
    ) -> np.ndarray:
        """The texts of a loader of batches ``{"text": [...]}``.  -> (texts, dim)"""
        texts = [text for batch in inputs for text in batch["text"]]
        # queries and documents where they are told apart, else the prompt that ``encode`` puts
        roles: dict[str, Role] = {"query": "query", "document": "document", "passage": "document"}
        role = roles.get(str(getattr(prompt_type, "value", prompt_type)), "default")
        return self.embedded(texts, task=task_metadata.name, role=role)

    def embedded(self, texts: list[str], *, task: str, role: Role = "document") -> np.ndarray:
        """With the task's name in front of progress stages.  -> (texts, dim)"""
        progress = in_words(self.progress, lambda stage: f"{task}: {stage[0].lower()}{stage[1:]}")
        return embed(self.encoder, texts, device=self.device, role=role, progress=progress)

    def similarity(self, one: ArrayLike, other: ArrayLike) -> Tensor:
        """Of every pair, cosine unless the encoder's authors compare otherwise.  (n, dim), (m, dim) -> (n, m)"""
        rows, columns = _tensor(one), _tensor(other)
        if self.encoder.similarity == "dot":
            return rows @ columns.T
        if self.encoder.similarity in _POWERS:
            return -torch.cdist(rows, columns, p=_POWERS[self.encoder.similarity])
        return _unit(rows) @ _unit(columns).T

    def similarity_pairwise(self, one: ArrayLike, other: ArrayLike) -> Tensor:
        """The same of row i with row i.  (n, dim), (n, dim) -> (n,)"""
        rows, others = _tensor(one), _tensor(other)
        if self.encoder.similarity == "dot":
            return (rows * others).sum(dim=-1)
        if self.encoder.similarity in _POWERS:
            return -torch.linalg.vector_norm(rows - others, ord=_POWERS[self.encoder.similarity], dim=-1)
        return (_unit(rows) * _unit(others)).sum(dim=-1)


def vectors_hash(encoder: Encoder) -> str:
    """SHA-256 over everything that decides a text's vector: weights, architecture, tokenizer, pooling and length."""
    tokenizer = {k: v for k, v in json.loads(encoder.tokenizer.to_str()).items() if k not in ("truncation", "padding")}
    model = getattr(encoder, "model", None)
    config = {} if model is None else model.config.to_diff_dict()
    facts = {
        "weights": encoder.weights_hash(),
        "kind": type(encoder).__name__,
        "config": {k: v for k, v in config.items() if not k.startswith("_") and k not in _NOT_VECTORS},
        "after_pooling": [repr(module) for module in getattr(encoder, "after_pooling", ())],
        "tokenizer": tokenizer,
        "pooling": encoder.pooling,
        "max_length": encoder.max_length,
    }
    if encoder.prompts.names or encoder.prompts.by_role:
        facts["prompts"] = encoder.prompts.model_dump()
    facts |= {"similarity": encoder.similarity} if encoder.similarity != "cosine" else {}
    facts |= {"dim": encoder.dim} if encoder.dim < encoder.all_dimensions else {}
    if encoder.embedding_precision != "fp32":  # older scores say none
        facts["precision"] = encoder.embedding_precision
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()


def _tensor(vectors: ArrayLike) -> Tensor:
    """Rows; a single vector counts as one."""
    return torch.atleast_2d(torch.as_tensor(vectors)).float()


def _unit(vectors: Tensor) -> Tensor:
    """Rows of length 1; a zero row stays zero."""
    return F.normalize(vectors, dim=-1)


def find_task(task: BenchmarkTask) -> "AbsTask":
    """mteb's own task object, with the splits and languages that the papers take.

    Not from ``get_benchmark``, which makes every task of every benchmark first.
    """
    import mteb

    return mteb.get_task(task.key, eval_splits=list(task.splits), hf_subsets=list(task.subsets))


def read_from(task: "AbsTask", folder: Path) -> None:
    """Make the task load its files from a folder instead of the hub; the texts are those of the pinned commit."""
    described = {**task.metadata.dataset, "path": str(folder)}
    task.metadata = task.metadata.model_copy(update={"dataset": described})
    try:
        task.load_data()
    except (FileNotFoundError, ValueError, KeyError) as error:
        raise CorpusError(
            "E-DATASET-PART",
            f"{task.metadata.name} needs all files of its data set, but some are not on this computer "
            f"({type(error).__name__}). Connect once to download the rest.",
        ) from None


def score_task(adapter: Adapter, task: "AbsTask") -> StoredScore:
    """The main score of a task, and all others by split.

    ``cache=None``: mteb's default cache goes by name and revision only, and gave a second local encoder the scores of
    the first one.
    """
    import mteb

    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The task .* is superseded")  # the papers used the older one
        evaluation = mteb.evaluate(adapter, task, cache=None, co2_tracker=False, show_progress_bar=False)
    (result,) = evaluation.task_results
    return StoredScore(
        task=task.metadata.name,
        metric=task.metadata.main_score,
        score=float(result.get_score()),
        scores=_plain(result.scores),
        mteb=result.mteb_version or "",
        seconds=round(time.perf_counter() - began, 2),
    )


def mean_of_parts(task: BenchmarkTask, parts: list[StoredScore]) -> StoredScore:
    """An aggregate's score: the mean of its parts', as mteb combines them."""
    return StoredScore(
        task=task.key,
        metric=task.metric,
        score=sum(part.score for part in parts) / len(parts),
        scores={part.task: part.score for part in parts},
        dataset="",
        revision="",
        mteb=parts[0].mteb,
        seconds=round(sum(part.seconds for part in parts), 2),
    )


def _plain(value: Any) -> Any:
    """Scores as JSON values; non-finite numbers become null."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, bool | str | int) or value is None:
        return value
    number = float(value)
    return number if math.isfinite(number) else None
