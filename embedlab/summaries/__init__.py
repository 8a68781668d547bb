"""Summaries of texts, made by a language model or, labeled so, without one."""

from embedlab.registry import Registry
from embedlab.summaries.base import Summariser
from embedlab.summaries.endpoint import Endpoint
from embedlab.summaries.extractive import Extractive
from embedlab.summaries.local import LocalLanguageModel

SUMMARISERS: Registry[type[Summariser]] = Registry("summariser", [LocalLanguageModel, Endpoint, Extractive])
