"""Views -> named loss terms."""

from embedlab.objectives.infonce import InfoNCE
from embedlab.registry import Registry

OBJECTIVES = Registry("objective", [InfoNCE])
