"""A finished example: two runs on the built-in corpus, packaged without its texts, seen before anything is trained."""

from embedlab.example.corpus import ExampleCorpus, example_corpus, gathered
from embedlab.example.opened import LAYERS, TOKEN, example_run, is_example

__all__ = ["LAYERS", "TOKEN", "ExampleCorpus", "example_corpus", "example_run", "gathered", "is_example"]
