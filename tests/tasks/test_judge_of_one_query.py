"""A file with a single query judges a run: there is a change, and no interval of it."""

import json

from embedlab.corpora.sets.reading import read_set
from embedlab.encoders.load import load_encoder
from embedlab.tasks.fine_tune.opening import JudgeSet


def test_one_query_has_a_change_without_an_interval(toy_corpus, tmp_path):
    texts, file = list(toy_corpus.texts), tmp_path / "judge.jsonl"
    row = {"query": texts[0], "positive": texts[1:3], "negative": texts[60:64]}
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    judge = JudgeSet(read_set(str(file)), "cpu")
    before, after = (judge.measure(load_encoder("token", corpus=toy_corpus, seed=seed)) for seed in (0, 1))
    result = judge.result(before, after)
    assert (result.difference, result.n) == (after.value - before.value, 1)
    assert result.low is None and result.high is None
    untrained = judge.result(before, None)
    assert untrained.after == untrained.before == before.value and untrained.difference is None
