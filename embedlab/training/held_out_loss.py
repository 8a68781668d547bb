"""Judges a step without labels: the loss on views of texts that are set aside, the same from first to last."""

import numpy as np
import torch

from embedlab.training.batches import Batches

SHARE, MOST = 0.1, 256  # of the usable texts, and texts at most
ENOUGH_TO_HOLD_OUT = 20  # usable texts: a tenth of fewer is no batch


class HeldOutLoss:
    """What training lowers, on texts that it does not see."""

    def __init__(self, batches: Batches, objective, *, device: str):
        """Takes a tenth of the usable texts (at least ``ENOUGH_TO_HOLD_OUT``) out of ``batches``, drawn by its seed."""
        rng, count = np.random.default_rng([batches.seed, MOST]), min(MOST, int(SHARE * len(batches.rows)))
        held = np.sort(rng.permutation(len(batches.rows))[:count])
        self.batch = batches.made_of(batches.rows[held])
        batches.rows = np.delete(batches.rows, held)
        self.objective, self.device = objective, device

    @torch.no_grad()
    def score(self, encoder) -> float:
        """The loss, negative: more is better."""
        was_training = encoder.training
        encoder.eval()
        self.objective.eval()
        random = torch.random.get_rng_state()
        views = [encoder.collate(token_lists, self.device) for token_lists in self.batch.views]
        loss = float(self.objective(encoder, views, **self.batch.told(self.device))["loss"])
        torch.random.set_rng_state(random)
        encoder.train(was_training)
        self.objective.train(was_training)
        return -loss
