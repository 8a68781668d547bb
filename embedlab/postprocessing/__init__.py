"""Finished embeddings changed without labels, as wide as before."""

from embedlab.postprocessing.base import PostProcessing
from embedlab.postprocessing.centre_whiten import Centre, Whiten
from embedlab.postprocessing.flow import BERTFlow
from embedlab.registry import Registry

POSTPROCESSING: Registry[type[PostProcessing]] = Registry("post-processing", [Centre, Whiten, BERTFlow])
