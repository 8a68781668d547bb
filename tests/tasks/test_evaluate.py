"""The task evaluate: every metric that a corpus or a set serves, baselines beside it, units that pair two runs."""

import numpy as np
import pytest
from doing import do, result_of

from embedlab.baselines import BASELINES
from embedlab.corpora.base import open_corpus
from embedlab.corpora.sets.reading import read_set
from embedlab.errors import CorpusError, SettingsError
from embedlab.metrics import METRICS
from embedlab.metrics.base import why_no_baseline
from embedlab.report.metric_tables import _counted
from embedlab.report.result_lines import show_evaluate
from embedlab.runs.evaluations import CORPUS, Evaluations, baseline_folder, evaluations_of
from embedlab.tasks.fine_tune.opening import load_for
from embedlab.tasks.measure.embedded import measure, split_of
from embedlab.tasks.measure.sources import CorpusSource
from embedlab.tasks.measure.subjects import GivenVectors, OfTexts, ReadOnce

PAIRS = [
    ("a star near the moon", "a comet near the moon", 4.0, True),
    ("butter and flour", "an onion in the oven", 3.0, True),
    ("butter and flour", "a judge in court", 0.0, False),
    ("the mast and the sail", "a verdict of the court", 0.5, False),
    ("the mast and the sail", "the rudder and the sail", 4.5, True),
]


@pytest.fixture
def pairs(tmp_path, store):
    file = tmp_path / "pairs.csv"
    rows = [f"{one},{other},{score},{same}" for one, other, score, same in PAIRS]
    file.write_text("\n".join(["sentence1,sentence2,score,is_paraphrase", *rows]), encoding="utf-8")
    return read_set(str(file))


def served(corpus) -> list[str]:
    return [metric.key for metric in METRICS if CorpusSource(corpus).reason_against(metric) is None]


def test_every_metric_that_the_corpus_serves_is_measured_before_and_after(token_run, tiny):
    keys = served(open_corpus(tiny["corpus"]))
    assert set(METRICS.keys()) - set(keys) == {
        "sts",
        "match-query",
        "match-query-title",
        "match-query-text",
    }  # no scored pairs, no summaries
    do("evaluate", {"run": token_run.id, "metrics": keys})
    found = Evaluations(token_run.path)
    for key in keys:
        states = found.values()[key]
        low, high = METRICS[key].range
        assert low <= states["before"].value <= high and low <= states["after"].value <= high
        change = states["difference"]
        assert change.value == pytest.approx(states["after"].value - states["before"].value, abs=1e-6)
        assert change.low <= change.value <= change.high and change.n > 0
        assert found.units(CORPUS, key, "after")
    assert found.values()["knn"]["after"].value == pytest.approx(result_of(token_run)["knn"]["after"])


def test_the_change_is_kept_by_both_distances(token_run):
    do("evaluate", {"run": token_run.id, "metrics": ["knn"]})
    kept, knn = Evaluations(token_run.path), result_of(token_run)["knn"]
    change = kept.values(distance="cosine")["knn"]["difference"]
    told = [getattr(change, name) for name in ("value", "low", "high")]
    assert told == pytest.approx([knn["cosine"][name] for name in ("difference", "low", "high")])
    for state in ("before", "after"):
        for distance, expected in (("cosine", knn["cosine"][state]), ("euclidean", knn[state])):
            value = kept.values(distance=distance)["knn"][state].value
            assert value == pytest.approx(expected) == kept.units(CORPUS, "knn", state, distance)["correct"].mean()


def test_two_runs_are_paired_by_the_units_that_were_kept(token_run, tiny):
    other = do("train", {**tiny, "seed": 1})
    for run in (token_run, other):
        do("evaluate", {"run": run.id, "metrics": ["knn", "match-halves"]})
    for key in ("knn", "match-halves"):
        ours, theirs = (Evaluations(run.path).units(CORPUS, key, "after") for run in (token_run, other))
        change = METRICS[key].difference(before=theirs, after=ours)
        values = [Evaluations(run.path).values()[key]["after"].value for run in (token_run, other)]
        assert change.value == pytest.approx(values[0] - values[1]) and change.low <= change.value <= change.high


def test_ten_folds_stand_beside_the_papers_split(token_run):
    do("evaluate", {"run": token_run.id, "metrics": ["knn"], "protocol": "cv10"})
    do("evaluate", {"run": token_run.id, "metrics": ["knn"]})
    found = Evaluations(token_run.path).values()
    assert (found["knn/cv10"]["after"].n, found["knn"]["after"].n) == (120, 12)


def test_baselines_are_measured_once_per_corpus_and_by_what_they_can(token_run, tiny):
    asked = {"run": token_run.id, "metrics": ["knn", "linear", "retrieval"]}
    do("evaluate", {**asked, "baselines": ["tfidf", "svd", "bm25"]})
    found = {
        key: Evaluations(baseline_folder(tiny["corpus"], CORPUS, key)).values() for key in ("tfidf", "svd", "bm25")
    }
    assert set(found["bm25"]) == {"retrieval"} and set(found["tfidf"]) == {"knn", "retrieval"}
    assert set(found["svd"]) == {"knn", "linear", "retrieval"}
    lines = result_of(token_run)["references"]
    assert found["tfidf"]["knn"]["after"].value == pytest.approx(lines["tfidf"]["value"])
    assert found["svd"]["knn"]["after"].value == pytest.approx(lines["svd"]["value"])
    file = Evaluations(baseline_folder(tiny["corpus"], CORPUS, "svd")).file
    written = file.stat().st_mtime_ns
    do("evaluate", {**asked, "baselines": ["svd"]})
    assert file.stat().st_mtime_ns == written


def test_a_set_is_measured_by_what_it_serves(token_run, pairs):
    do("embed_and_evaluate", {"run": token_run.id, "source": pairs.fingerprint, "metrics": ["sts", "paraphrase"],
                              "baselines": ["tfidf"]})  # fmt: skip
    found = Evaluations(token_run.path).values(pairs.fingerprint)
    assert found["sts"]["after"].n == 5 and 0 < found["paraphrase"]["after"].value <= 1
    beside = Evaluations(baseline_folder("", pairs.fingerprint, "tfidf")).values(pairs.fingerprint)
    assert set(beside) == {"sts", "paraphrase"}


def test_the_vectors_of_a_set_are_those_of_the_runs_encoder(token_run, tiny, pairs):
    from embedlab.config import validated
    from embedlab.encoders.embed import embed
    from embedlab.tasks.encoders import encoder_of_run
    from embedlab.training.settings import RunSettings

    do("embed_and_evaluate", {"run": token_run.id, "source": pairs.fingerprint, "metrics": ["sts"]})
    kept = Evaluations(token_run.path)
    untouched = load_for(validated(RunSettings, tiny), open_corpus(tiny["corpus"]), lambda *_: None)
    for state, encoder in (("after", encoder_of_run(token_run, "after")), ("before", untouched)):
        one, other = (embed(encoder, [pair[side] for pair in PAIRS]).astype(np.float64) for side in (0, 1))
        cosines = (one * other).sum(1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)
        assert kept.units(pairs.fingerprint, "sts", state)["cosines"] == pytest.approx(cosines, abs=1e-5)


def test_what_cannot_be_measured_is_said(token_run, pairs, tiny):
    with pytest.raises(CorpusError, match="needs a file of scored pairs"):
        do("evaluate", {"run": token_run.id, "metrics": ["sts"]})
    with pytest.raises(CorpusError, match="it supports sts, paraphrase"):
        do("evaluate", {"run": token_run.id, "source": pairs.fingerprint, "metrics": ["knn"]})
    with pytest.raises(CorpusError, match="needs summaries"):
        do("evaluate", {"run": token_run.id, "metrics": ["match-query"]})
    with pytest.raises(SettingsError, match="GloVe or word2vec"):
        do("evaluate", {"run": token_run.id, "metrics": ["knn"], "baselines": ["static"]})
    with pytest.raises(CorpusError, match="No stored evaluation set"):
        do("evaluate", {"run": token_run.id, "source": "0" * 16, "metrics": ["sts"]})
    source, vectors = CorpusSource(open_corpus(tiny["corpus"])), GivenVectors(np.ones((120, 3), np.float32))
    with pytest.raises(SettingsError, match="a file of vectors has no encoder"):
        source.material(METRICS["match-halves"], ReadOnce(vectors), "paper")


def test_of_which_texts_partners_were_drawn_is_said(tiny, monkeypatch):
    corpus, measured = open_corpus(tiny["corpus"]), []
    subject = ReadOnce(OfTexts(lambda texts, _: np.ones((len(texts), 3))))
    for most in (30_000, 7):
        monkeypatch.setattr("embedlab.tasks.measure.sources.MATCHED", most)
        material = CorpusSource(corpus).material(METRICS["match-halves"], subject, "paper")
        measured.append(METRICS["match-halves"].measure(material))
    whole, some = measured
    said = f"7 candidates, drawn from {whole.n}"
    assert "drawn_from" not in whole.facts and (some.n, some.facts["drawn_from"]) == (7, whole.n)
    assert show_evaluate({"metrics": {"match-halves": some.as_json()}})[0].endswith(f"({said})")
    assert _counted({"after": some}) == said


def test_each_baseline_serves_some_metric_and_says_why_not_the_others():
    for part in BASELINES:
        reasons = [why_no_baseline(metric, part) for metric in METRICS]
        assert None in reasons and all(reason is None or reason.endswith(".") for reason in reasons)


def test_texts_are_embedded_once_however_often_they_are_asked_for():
    class Counting:
        asked: list = []
        gives_vectors = True

        def embed(self, texts, role="document"):
            self.asked += texts
            return np.array([[float(len(text))] for text in texts])

    embedded = ReadOnce(Counting()).embed
    assert embedded(["a", "bb", "a"]).ravel().tolist() == [1, 2, 1]
    assert embedded(["bb", "ccc"]).ravel().tolist() == [2, 3] and Counting.asked == ["a", "bb", "ccc"]


def test_cut_vectors_are_measured_apart(token_run, tiny):
    """As the first dimensions alone; what is known of the whole vectors stays."""
    before = Evaluations(token_run.path).all()
    do("evaluate", {"run": token_run.id, "metrics": ["knn"], "dimensions": 5})
    states = evaluations_of(token_run, 5).values()["knn"]
    corpus = open_corpus(tiny["corpus"])
    for state in ("before", "after"):
        cut = np.load(token_run.embeddings(state))[:, :5]
        assert states[state].value == measure(cut, corpus, split_of(corpus)[0]).euclidean.value
    assert states["difference"].value == pytest.approx(states["after"].value - states["before"].value)
    assert Evaluations(token_run.path).all() == before
