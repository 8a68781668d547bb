"""Lessons on the toy corpus, whose pocket is trained in a moment."""

import pytest
from made_lessons import LESSON

from embedlab.learn import pocket_facts
from embedlab.learn.lesson import read_lesson
from embedlab.learn.pocket_corpus import pocket_corpus


@pytest.fixture(autouse=True)
def trained_once(monkeypatch):
    """What one test trained another need not train again."""
    whole = pocket_facts._trained

    def trained(corpus, config):
        key = (corpus.fingerprint, config)
        if key not in _trained:
            _trained[key] = whole(corpus, config)
        return _trained[key]

    monkeypatch.setattr(pocket_facts, "_trained", trained)


_trained: dict = {}


@pytest.fixture
def lesson():
    """The lesson that asks in every way."""
    return read_lesson(LESSON, "7-four-ways.md")


@pytest.fixture
def small(toy_corpus):
    """120 texts of four classes."""
    return pocket_corpus(toy_corpus)
