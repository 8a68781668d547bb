"""Curves and spectra of an encoder, no good direction implied; the diagnostics in display order."""

from embedlab.diagnostics.layerwise import Layerwise
from embedlab.diagnostics.length import LengthAttack
from embedlab.registry import Registry

DIAGNOSTICS = Registry("diagnostic", [Layerwise, LengthAttack])
