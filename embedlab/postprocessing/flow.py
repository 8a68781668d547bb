"""BERT-flow: finished embeddings pulled into a standard normal by a small Glow (Li et al. 2020; TSDAE paper, §5.5)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from pydantic import Field

from embedlab.config import Config
from embedlab.device import on_threads
from embedlab.errors import CorpusError, NonFiniteError
from embedlab.later import Tensor, torch
from embedlab.numbers import counted
from embedlab.postprocessing.base import PostProcessing, Processed, rounding, usable_vectors
from embedlab.postprocessing.glow import FEWEST_DIMENSIONS, Glow, bits_per_dimension
from embedlab.progress import Progress, silent

START_TEXTS = 4096  # read for ActNorm's start: in a single batch a dimension may happen to be constant
CHUNK_TEXTS = 8192


class FlowConfig(Config):
    """How long and at which rate the flow trains; the encoder is not changed."""

    learning_rate: float = Field(
        1e-3, ge=1e-8, le=1.0, description="Learning rate of the flow (TSDAE paper 1e-6, its code 1e-3)."
    )
    batch_size: int = Field(64, ge=2, le=65_536, description="Texts per step (TSDAE paper 8).")
    epochs: int = Field(
        10, ge=1, le=10_000, description="How many times every text is read (TSDAE paper 100,000 steps of 8 texts)."
    )
    weight_decay: float = Field(0.01, ge=0.0, le=1.0, description="Pulls weights to zero, except biases.")
    normalise_first: bool = Field(False, description="Divide each vector by its length (L2) first; the papers do not.")
    seed: int = Field(0, ge=0, le=2**31 - 1, description="Seed of the initial weights and the order of texts.")


class BERTFlow(PostProcessing):
    """Trained on all texts by maximum likelihood; each text's z then replaces its vector."""

    key = "flow"
    title = "BERT-flow"
    sentence = "Learn an invertible map under which the embeddings are standard normal."
    formula = (
        r"-\frac{1}{d \ln 2} \Bigl( \log \mathcal{N}(f_\phi^{-1}(u)) +"
        r" \log \bigl| \det \tfrac{\partial f_\phi^{-1}(u)}{\partial u} \bigr| \Bigr)"
    )
    paper = "TSDAE, section 5.5; Li et al. 2020"
    config_class = FlowConfig

    @staticmethod
    def fit_transform(
        embeddings: np.ndarray, rows: np.ndarray, config: FlowConfig, progress: Progress = silent
    ) -> Processed:
        """Constant dimensions have no density: they are left out and zero afterwards."""
        points = usable_vectors(embeddings, rows, title=BERTFlow.title, normalise_first=config.normalise_first)
        varies = points.vectors.std(axis=0) > rounding(points.vectors)
        if varies.sum() < FEWEST_DIMENSIONS:
            raise CorpusError(
                "E-FEW-DIMENSIONS",
                f"BERT-flow needs at least {FEWEST_DIMENSIONS} dimensions in which texts differ, but found"
                f" {varies.sum()} of {len(varies)}. Choose an encoder with more dimensions.",
            )
        vectors = torch.from_numpy(points.vectors[:, varies].astype(np.float32))
        glow = Glow(vectors.shape[1], generator=torch.Generator().manual_seed(config.seed))
        with on_threads(1):  # a second gains nothing on such small matrices and may change the last bits
            start, steps = train(glow, vectors, config, progress)
            z, bits = read_through(glow, vectors)
        changed = np.zeros(points.vectors.shape, np.float32)
        changed[:, varies] = z.numpy()
        constant = len(varies) - int(varies.sum())
        remarks = [f"{constant:,} of {len(varies):,} dimensions are the same in all texts and are left out."]
        facts = {"bits_per_dimension": bits, "bits_per_dimension_start": start, "steps": steps}
        return points.processed(changed, remarks=remarks if constant else [], **facts)


def train(glow: Glow, vectors: Tensor, config: FlowConfig, progress: Progress = silent) -> tuple[float, int]:
    """Fit the flow in place; returns bits per dimension before the first step, and the number of steps. vectors:
    (texts, dim)

    Texts are drawn anew in every epoch; "shuffle the training data, it makes a huge difference" (the authors' code).
    """
    from embedlab.postprocessing.uncorrected_adam import UncorrectedAdam

    generator = torch.Generator().manual_seed(config.seed)
    with torch.no_grad():
        glow(vectors[torch.randperm(len(vectors), generator=generator)[:START_TEXTS]])
    start = read_through(glow, vectors)[1]
    named = dict(glow.named_parameters())
    biases = [weight for name, weight in named.items() if name.endswith("bias")]
    others = [weight for name, weight in named.items() if not name.endswith("bias")]
    groups = [{"params": others, "weight_decay": config.weight_decay}, {"params": biases, "weight_decay": 0.0}]
    optimiser = UncorrectedAdam(groups, lr=config.learning_rate, eps=1e-6)
    ends = [*range(0, len(vectors), config.batch_size), len(vectors)]
    total, steps = config.epochs * (len(ends) - 1), 0
    for _ in range(config.epochs):
        order = torch.randperm(len(vectors), generator=generator)
        for begin, end in pairwise(ends):
            loss = bits_per_dimension(glow(vectors[order[begin:end]])[1], glow.dim)
            if not torch.isfinite(loss):
                raise NonFiniteError(
                    "E-NONFINITE",
                    f"BERT-flow's loss is {loss.item()} at step {steps + 1:,}. Lower its learning rate"
                    f" ({config.learning_rate:g}), or check whether some vectors are far larger than the others.",
                )
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            steps += 1
            progress(f"Fitting BERT-flow to {counted(len(vectors), 'text')}", steps, total)
    return start, steps


def read_through(glow: Glow, vectors: Tensor) -> tuple[Tensor, float]:
    """z of every text, and bits per dimension over all of them.  (texts, dim) -> (texts, dim)"""
    with torch.no_grad():
        parts = [glow(part) for part in vectors.split(CHUNK_TEXTS)]
    log_density = torch.cat([density for _, density in parts])
    return torch.cat([z for z, _ in parts]), float(bits_per_dimension(log_density.double(), glow.dim))
