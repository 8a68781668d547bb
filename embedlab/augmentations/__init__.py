"""Rows of a corpus -> views."""

from embedlab.augmentations.crop import Crop
from embedlab.augmentations.deletion import Deletion
from embedlab.augmentations.elongation import Elongation, SentenceRest
from embedlab.augmentations.given_pairs import GivenPairs, ScoredPairs
from embedlab.augmentations.identity import Identity
from embedlab.augmentations.masking import Masking
from embedlab.augmentations.mlm_masking import MLMMasking
from embedlab.augmentations.same_class import SameClass
from embedlab.augmentations.sampled_pairs import SampledPairs
from embedlab.augmentations.sentence_pairs import SentencePairs
from embedlab.augmentations.summary_pairs import SummaryPairs
from embedlab.registry import Registry

AUGMENTATIONS = Registry(
    "augmentation",
    [
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
    ],
)
