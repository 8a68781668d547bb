"""A guide encoder: its vectors of given pairs, by which the ranking loss leaves out false negatives."""

from collections.abc import Sequence

import numpy as np

from embedlab.encoders.embed import embed
from embedlab.encoders.load import load_encoder
from embedlab.errors import SettingsError
from embedlab.prompts import Role
from embedlab.runs.label_lineage import labels_read_by
from embedlab.tasks.fine_tune.opening import OpenedRun


class GuideVectors:
    """Vectors of the texts of pairs, by row of the pairs."""

    def __init__(self, rows: np.ndarray, views: Sequence[np.ndarray], vectors: Sequence[np.ndarray]):
        """``rows``: of the pairs. Per view ``views``: (rows,), rows of ``vectors``: (texts, dim)"""
        self.views, self.vectors = views, vectors
        self.positions = np.full(rows.max(initial=-1) + 1, -1)
        self.positions[rows] = np.arange(len(rows))

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """rows: (batch,) -> (batch, views, dim)"""
        at = self.positions[rows]
        return np.stack([vectors[view[at]] for view, vectors in zip(self.views, self.vectors, strict=True)], axis=1)


def guide_of(opened: OpenedRun, rows: np.ndarray) -> GuideVectors | None:
    """The guide in ``objective.guide``: it embeds the texts of these pairs once; None if there is none.

    Anchors are embedded as queries, the other texts as documents.
    """
    reference = opened.settings.objective.get("guide")
    if reference is None:
        return None
    if opened.pairs is None:
        raise SettingsError("E-GUIDE", "Setting 'objective.guide' needs given pairs. Give --pairs, or leave it out.")
    if labels_read_by(reference).saw_labels:
        raise SettingsError(
            "E-GUIDE",
            f"Setting 'objective.guide' is {reference}, which was trained with labels, perhaps those of test texts. "
            "Choose an encoder that was trained without.",
        )
    guide, device = load_encoder(reference, corpus=opened.corpus, progress=opened.progress), opened.device.name
    guide.to(device)
    texts = list(zip(*(opened.pairs.pairs[row] for row in rows.tolist()), strict=True))  # per view
    views: list[np.ndarray] = []
    vectors: list[np.ndarray] = []
    roles: tuple[Role, Role] = ("query", "document")
    for role, of_role in zip(roles, (texts[:1], texts[1:]), strict=True):
        numbers = {text: number for number, text in enumerate(dict.fromkeys(text for view in of_role for text in view))}
        embedded = embed(guide, list(numbers), device=device, role=role, progress=opened.progress)
        views += [np.array([numbers[text] for text in view]) for view in of_role]
        vectors += [embedded] * len(of_role)
    return GuideVectors(rows, views, vectors)
