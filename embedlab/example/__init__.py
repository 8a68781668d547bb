"""Finished runs on the built-in corpus, packaged without its texts: an example before anything is trained."""

from embedlab.example.corpus import (
    LAYERS,
    TOKEN,
    WORDS,
    ExampleCorpus,
    example_corpus,
    example_run,
    gathered,
    is_example,
)

__all__ = ["LAYERS", "TOKEN", "WORDS", "ExampleCorpus", "example_corpus", "example_run", "gathered", "is_example"]
