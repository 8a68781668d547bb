"""An encoder as mteb wants it: texts from a loader to vectors, cosine as the similarity, a name nobody shares."""

import hashlib
import json

import numpy as np

from embedlab.encoders.embed import embed
from embedlab.encoders.encoder import Encoder
from embedlab.progress import Progress, in_words, silent

_NOT_VECTORS = ("architectures", "dtype", "torch_dtype", "transformers_version")  # of a model's configuration


class Adapter:
    """mteb's EncoderProtocol around one encoder. ``name`` is a run's id or an encoder's reference."""

    def __init__(self, encoder: Encoder, *, name: str, device: str = "cpu", progress: Progress = silent):
        from mteb.models.model_meta import ModelMeta

        self.encoder = encoder
        self.device = device
        self.progress = progress
        # mteb keys its results by name and revision: with the weights' hash no two encoders ever share one
        described = {"name": f"embedlab/{name}", "revision": vectors_hash(encoder)}
        self.mteb_model_meta = ModelMeta.create_empty(described)

    def encode(self, inputs, *, task_metadata, hf_split, hf_subset, prompt_type=None, **options) -> np.ndarray:
        """The texts of a loader of batches ``{"text": [...]}``.  -> (texts, dim)"""
        texts = [text for batch in inputs for text in batch["text"]]
        progress = in_words(self.progress, lambda stage: f"{task_metadata.name}: {stage[0].lower()}{stage[1:]}")
        return embed(self.encoder, texts, device=self.device, progress=progress)

    def similarity(self, one, other):
        """Cosine of every pair.  (n, dim), (m, dim) -> (n, m)"""
        return _unit(one) @ _unit(other).T

    def similarity_pairwise(self, one, other):
        """Cosine of row i with row i.  (n, dim), (n, dim) -> (n,)"""
        return (_unit(one) * _unit(other)).sum(dim=-1)


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
    if encoder.embedding_precision != "fp32":  # said by no score of before
        facts["precision"] = encoder.embedding_precision
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()


def _unit(vectors):
    """Rows of length 1; a zero row stays zero.  A single vector counts as one row."""
    import torch
    import torch.nn.functional as F

    return F.normalize(torch.atleast_2d(torch.as_tensor(vectors)).float(), dim=-1)
