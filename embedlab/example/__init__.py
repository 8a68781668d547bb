"""A finished example: two runs on the built-in corpus, packaged without its texts, seen before anything is trained."""

from embedlab.example.corpus import LAYERS, TOKEN, ExampleCorpus, example_corpus, example_run, gathered, is_example

__all__ = ["LAYERS", "TOKEN", "ExampleCorpus", "example_corpus", "example_run", "gathered", "is_example"]
