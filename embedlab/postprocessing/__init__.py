"""Finished embeddings changed without labels, as wide as before."""

from embedlab.postprocessing.centre import Centre
from embedlab.postprocessing.flow import BERTFlow
from embedlab.postprocessing.whiten import Whiten
from embedlab.registry import Registry

POSTPROCESSING = Registry("post-processing", [Centre, Whiten, BERTFlow])
