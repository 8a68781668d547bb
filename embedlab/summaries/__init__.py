"""Summaries made in the app: a few sentences about each text, by a language model or, plainly labelled, without one."""

from embedlab.registry import Registry
from embedlab.summaries.base import Summariser
from embedlab.summaries.endpoint import Endpoint
from embedlab.summaries.extractive import Extractive
from embedlab.summaries.local import LocalLanguageModel

SUMMARISERS: Registry[type[Summariser]] = Registry("summariser", [LocalLanguageModel, Endpoint, Extractive])
