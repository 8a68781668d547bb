"""Finished embeddings changed without labels, as wide as before; the steps in display order (none is their absence)."""

from embedlab.postprocessing.centre import Centre
from embedlab.postprocessing.flow import BERTFlow
from embedlab.postprocessing.whiten import Whiten
from embedlab.registry import Registry

POSTPROCESSING = Registry("post-processing", [Centre, Whiten, BERTFlow])
