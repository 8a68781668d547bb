"""Rows of a corpus -> views."""

from typing import TYPE_CHECKING, Any

from embedlab.registry import Registry

if TYPE_CHECKING:  # lists of runs read what a corpus says of its views, and no augmentation
    from embedlab.augmentations.base import Augmentation


def _parts() -> "list[type[Augmentation[Any]]]":
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


AUGMENTATIONS: "Registry[type[Augmentation[Any]]]" = Registry("augmentation", _parts)
