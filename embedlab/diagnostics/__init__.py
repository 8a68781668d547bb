"""Diagnostics: curves and spectra of an encoder, no good direction implied."""

from embedlab.diagnostics.accuracy_by_dimension import AccuracyByDimension
from embedlab.diagnostics.accuracy_by_length import AccuracyByLength
from embedlab.diagnostics.alignment import Alignment, Uniformity
from embedlab.diagnostics.attention_gain import AttentionGain
from embedlab.diagnostics.base import Diagnostic
from embedlab.diagnostics.cka import CKA
from embedlab.diagnostics.cosines import Cosines
from embedlab.diagnostics.elongation import Isotropy, LengthCurve
from embedlab.diagnostics.hubness import Hubness
from embedlab.diagnostics.intra_text import IntraText
from embedlab.diagnostics.layerwise import Layerwise
from embedlab.diagnostics.length import LengthAttack
from embedlab.diagnostics.norms import Norms
from embedlab.diagnostics.readout import Readout
from embedlab.diagnostics.spectrum import EffectiveRank, Spectrum
from embedlab.diagnostics.word_deletion import PartsOfSpeech, WordDeletion
from embedlab.diagnostics.word_order import WordOrder
from embedlab.registry import Registry

DIAGNOSTICS: Registry[type[Diagnostic]] = Registry(
    "diagnostic",
    [
        Cosines, Spectrum, EffectiveRank, Uniformity, Alignment, Hubness, Norms,
        Layerwise, CKA,
        LengthAttack, LengthCurve, IntraText, Isotropy, AttentionGain, AccuracyByLength,
        WordDeletion, PartsOfSpeech, WordOrder,
        Readout, AccuracyByDimension,
    ],
)  # fmt: skip
NUMBERS = {part.key: part.number for part in DIAGNOSTICS if part.number is not None}  # of one run, beside other runs'
