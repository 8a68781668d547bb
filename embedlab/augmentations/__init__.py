"""Rows of a corpus -> views."""

from typing import Any

from embedlab.augmentations.base import Augmentation
from embedlab.registry import Registry


def _parts() -> list[type[Augmentation[Any]]]:
    from embedlab.augmentations.crop import Crop, Identity
    from embedlab.augmentations.deletion import Deletion
    from embedlab.augmentations.elongation import Elongation, SentenceRest
    from embedlab.augmentations.given_pairs import GivenPairs, ScoredPairs
    from embedlab.augmentations.masking import Masking, MLMMasking
    from embedlab.augmentations.pairs_of_rows import SameClass, SampledPairs
    from embedlab.augmentations.sentence_pairs import SentencePairs
    from embedlab.augmentations.summary_pairs import SummaryPairs

    return [
        Crop,
        Masking,
        SentencePairs,
        Identity,
        Elongation,
        SentenceRest,
        SummaryPairs,
        Deletion,
        MLMMasking,
        SampledPairs,
        SameClass,
        GivenPairs,
        ScoredPairs,
    ]


AUGMENTATIONS: Registry[type[Augmentation[Any]]] = Registry("augmentation", _parts)
