"""``evaluate``: on files, against another encoder, of baselines; what is printed, kept and refused."""

import numpy as np
import pytest
import pytrec_eval

from embedlab.cli import main
from embedlab.cli.comparing import show_classes
from embedlab.corpora.base import Draft, store_corpus
from embedlab.metrics import METRICS
from embedlab.report.metric_tables import measurements, shown_table
from embedlab.runs.evaluations import CORPUS, Evaluations
from embedlab.runs.store import create_run, open_run
from embedlab.tasks import TASKS

PAIRS = "sentence1,sentence2,score\na star,the moon,4\nbutter,flour,5\na judge,a sail,0\nthe mast,an oven,1\n"


@pytest.fixture
def run(token_run) -> str:
    return token_run.id


@pytest.fixture
def pairs(tmp_path) -> str:
    file = tmp_path / "pairs.csv"
    file.write_text(PAIRS, encoding="utf-8")
    return str(file)


def test_a_run_is_measured_by_everything_and_that_is_kept(call, run):
    code, found = call("evaluate", "--run", run, "--metrics", "all")
    assert code == 0 and {"knn", "linear", "clustering", "retrieval", "match-halves"} <= set(found["metrics"])
    kept = Evaluations(open_run(run).path)
    for key, values in found["metrics"].items():
        if METRICS[key].by_both:
            values = {name: value for name, value in values.items() if not name.startswith("cosine")}
        assert kept.values()[key]["after"].as_json() == values and kept.units(CORPUS, key, "after")


def test_against_the_untouched_encoder_is_the_runs_own_verdict(call, run):
    found = call("evaluate", "--run", run, "--against", "untouched")[1]["against"]
    own = call("runs", "show", run)[1]["result"]
    numbers = ("difference", "low", "high")
    assert [found["knn"][name] for name in numbers] == pytest.approx([own["knn"][name] for name in numbers])
    assert found["cosine_verdict"] == own["verdict"], "not judged in two ways"
    by_cosine = [found["knn"][f"cosine_{name}"] for name in numbers]
    assert by_cosine == pytest.approx([own["knn"]["cosine"][name] for name in numbers])


def test_what_is_measured_against_the_untouched_encoder_stands_on_the_page(call, run):
    assert call("evaluate", "--run", run, "--metrics", "all", "--against", "untouched")[0] == 0
    found = measurements(open_run(run), "", CORPUS, [])
    table = shown_table(found, {}).to_pydict()
    assert len(table["metric"]) > 5 and not {"–"} & {*table["untouched"], *table["fine-tuned"], *table["change (95 %)"]}
    known, asked = Evaluations(open_run(run).path).values(), {"run": run, "metrics": ["knn", "linear"]}
    TASKS["evaluate"].run(create_run("evaluate", asked), TASKS["evaluate"].read(asked), lambda *said: None)
    assert Evaluations(open_run(run).path).values() == known, "as a worker would have measured it"


def test_both_distances_are_measured_kept_and_printed_with_their_intervals(call, run, capfd):
    code, told = call("evaluate", "--run", run, "--against", "untouched", "--metrics", "knn,neighbors-5")
    assert code == 0
    for key, unit in (("knn", "correct"), ("neighbors-5", "shares")):
        found = told["metrics"][key]
        units = Evaluations(open_run(run).path).units(CORPUS, key, "after", "cosine")
        assert units[unit].mean() == pytest.approx(found["cosine"])
        half = 1.96 * found["cosine_standard_error"]
        bounds = [max(found["cosine"] - half, 0), min(found["cosine"] + half, 1)]
        assert [found["cosine_low"], found["cosine_high"]] == pytest.approx(bounds)
        other = told["against"][key]
        assert other["cosine_difference"] == pytest.approx(found["cosine"] - other["cosine"])
        assert other["cosine_low"] <= other["cosine_difference"] <= other["cosine_high"]
    code = main(["evaluate", "--run", run, "--against", "untouched", "--quiet"])
    lines, knn = capfd.readouterr().out.splitlines(), told["metrics"]["knn"]
    assert code == 0 and lines[0].startswith(f"knn: {100 * knn['cosine']:.1f} % ± ")
    assert f" (cosine), {100 * knn['value']:.1f} % ± " in lines[0] and " (Euclidean distance) (" in lines[0]
    assert [line.rpartition(") with ")[2] for line in lines[1:3]] == ["cosine", "Euclidean distance"]
    assert lines[-1] == told["against"]["cosine_verdict"]


def test_a_file_is_measured_by_what_it_serves(call, run, pairs, toy_corpus):
    code, found = call("evaluate", "--run", run, "--on", pairs, "--against", "tfidf")
    assert code == 0 and set(found["metrics"]) == {"sts"} and found["pairs"] == 4
    change = found["against"]["sts"]
    assert change["difference"] == pytest.approx(found["metrics"]["sts"]["value"] - change["value"])
    kept = Evaluations(open_run(run).path).values(found["fingerprint"])
    assert kept["sts"]["after"].as_json() == found["metrics"]["sts"]


def test_a_baseline_stands_for_an_encoder(call, toy_corpus):
    code, found = call("evaluate", "--baseline", "bm25", "--corpus", toy_corpus.fingerprint, "--metrics", "retrieval")
    assert code == 0 and 0.5 < found["metrics"]["retrieval"]["value"] <= 1
    code, found = call("evaluate", "--baseline", "svd", "--corpus", toy_corpus.fingerprint, "--against", "tfidf")
    assert found["metrics"]["knn"]["value"] == found["against"]["knn"]["value"] + found["against"]["knn"]["difference"]


def test_what_there_is_is_listed(call, pairs, store):
    metrics = {each["key"]: each for each in call("metrics")[1]["metrics"]}
    assert list(metrics) == METRICS.keys() and metrics["match-title"]["range"] == [1, None]
    assert "random-projection" in [each["key"] for each in call("baselines")[1]["baselines"]]
    call("evaluate", "--baseline", "tfidf", "--on", pairs)
    assert [each["name"] for each in call("sets")[1]["sets"]] == ["pairs"]


def test_every_class_is_told_before_and_after(call, run):
    code, found = call("classes", run)
    assert code == 0 and sum(each["texts"] for each in found["classes"]) == found["texts"] == 109
    right = [sum(each["texts"] * each[side] for each in found["classes"]) for side in ("before", "after")]
    assert right[1] - right[0] == pytest.approx(len(found["gained"]) - len(found["lost"]))
    own = call("runs", "show", run)[1]["result"]["folds"]
    assert right == pytest.approx([109 * own["before"], 109 * own["after"]])
    assert sum(each["after"] for each in found["mistakes"]) == round(109 - right[1])
    assert all(each["label"] != each["suggested"] for each in found["suspicious"])
    by_cosine, folds = found["cosine"], call("runs", "show", run)[1]["result"]["folds"]["cosine"]
    right = [sum(each["texts"] * each[side] for each in by_cosine["classes"]) for side in ("before", "after")]
    assert right == pytest.approx([109 * folds["before"], 109 * folds["after"]])
    assert set(by_cosine) == {"classes", "mistakes", "gained", "lost", "suspicious"} and found["printed_by"] == "cosine"
    open_run(run).predictions_by_folds.unlink()
    assert call("classes", run)[1] == found


def test_classes_are_printed_by_the_distance_asked_for(call, run):
    found = call("classes", run, "--distance", "euclidean")[1]
    assert found["printed_by"] == "euclidean" and found["classes"] == call("classes", run)[1]["classes"]
    found["classes"][0]["after"], found["cosine"]["classes"][0]["after"] = 0.111, 0.222
    by_euclidean, by_cosine = (show_classes({**found, "printed_by": name}) for name in ("euclidean", "cosine"))
    assert "kNN accuracy (Euclidean distance) before" in by_euclidean[0] and "11.1 %" in by_euclidean[1]
    assert "kNN accuracy (cosine) before" in by_cosine[0] and "22.2 %" in by_cosine[1]


MISTAKES = {
    "a split of a corpus": (["--baseline", "svd", "--corpus", "{corpus}", "--split", "test"], "Give it with --on"),
    "steps on a file": (["--baseline", "svd", "--on", "{pairs}", "--post", "centre"], "Leave one of them out"),
    "a scale of one number": (["--baseline", "svd", "--on", "{pairs}", "--scale", "5"], "but found '5'"),
    "scores outside": (["--baseline", "svd", "--on", "{pairs}", "--scale", "0,4"], "row 2 has 5"),
    "vectors on a file": (["--embeddings", "{npy}", "--on", "{pairs}"], "belong to a corpus"),
    "vectors of another length": (["--embeddings", "{npy}", "--corpus", "{corpus}"], "120, but"),
    "a metric of the other kind": (["--baseline", "svd", "--on", "{pairs}", "--metrics", "knn"], "it supports sts"),
    "bm25 for kNN": (["--baseline", "bm25", "--corpus", "{corpus}"], "BM25 only scores documents"),
    "word vectors without a file": (["--baseline", "static", "--corpus", "{corpus}"], "--words FILE"),
    "an unknown baseline": (["--baseline", "magic", "--corpus", "{corpus}"], "magic"),
    "an unknown metric": (["--baseline", "svd", "--corpus", "{corpus}", "--metrics", "magic"], "magic"),
    "untouched without a run": (["--baseline", "svd", "--corpus", "{corpus}", "--against", "untouched"], "--run"),
    "no such file": (["--baseline", "svd", "--on", "/nowhere.csv"], "neither a file nor a folder"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_sentence(name, call, toy_corpus, pairs, tmp_path):
    np.save(tmp_path / "few.npy", np.ones((3, 4), np.float32))
    places = {"corpus": toy_corpus.fingerprint, "pairs": pairs, "npy": str(tmp_path / "few.npy")}
    arguments, said = MISTAKES[name]
    code, found = call("evaluate", *[argument.format(**places) for argument in arguments])
    assert code == 2 and said in found["error"]["message"], found


BAD_LABELS = {
    "no labels": [None] * 40,
    "one class": ["a"] * 40,
    "one text a class": [f"class {number}" for number in range(40)],
}


@pytest.mark.parametrize("name", BAD_LABELS)
def test_labels_that_allow_nothing_are_said_and_nothing_is_invented(name, call, tmp_path, store):
    texts = [f"a text about the number {number} and more" for number in range(40)]
    corpus = store_corpus(Draft(name="plain", source="here", texts=texts, labels=BAD_LABELS[name]))
    code, found = call("evaluate", "--baseline", "svd", "--corpus", corpus.fingerprint, "--metrics", "knn,linear")
    assert code == 0 and found["metrics"] == {"knn": None, "linear": None}
    assert found["warnings"][0]["message"].startswith("kNN accuracy needs")


def test_zero_and_nan_vectors_are_counted_and_wrong(call, toy_corpus, tmp_path):
    vectors = np.random.default_rng(0).normal(size=(120, 4)).astype(np.float32)
    vectors[:30], vectors[30:60] = 0, np.nan
    np.save(tmp_path / "bad.npy", vectors)
    told = ["--corpus", toy_corpus.fingerprint, "--metrics", "knn,linear,clustering,retrieval,reranking,paraphrase"]
    code, found = call("evaluate", "--embeddings", str(tmp_path / "bad.npy"), *told)
    assert code == 0 and found["metrics"]["knn"]["zero_vectors"] == 60
    for key, values in found["metrics"].items():
        assert METRICS[key].range[0] <= values["value"] <= METRICS[key].range[1], key


def test_a_run_file_is_measured_on_judgements_as_pytrec_eval_does(call, store, tmp_path):
    rng = np.random.default_rng(0)
    grades = {f"q{q}": {f"d{d}": int(rng.integers(-1, 3)) for d in range(0, 30, 2)} | {"d1": 1} for q in range(5)}
    run = {f"q{q}": {f"d{d}": float(rng.integers(0, 9)) for d in range(40)} for q in range(4)}
    lines = [f"{q} 0 {d} {grade}" for q, each in grades.items() for d, grade in each.items()]
    (tmp_path / "qrels.txt").write_text("\n".join(lines))
    lines = [f"{q} Q0 {d} {rank} {score} me" for q, each in run.items() for rank, (d, score) in enumerate(each.items())]
    (tmp_path / "run.txt").write_text("\n".join(lines))
    code, result = call("evaluate", "--ranking", str(tmp_path / "run.txt"), "--on", str(tmp_path / "qrels.txt"))
    found = pytrec_eval.RelevanceEvaluator(grades, {"ndcg_cut.10", "map_cut.100", "recip_rank"}).evaluate(run)
    ours = result["metrics"]["retrieval"]
    for name, theirs in (("value", "ndcg_cut_10"), ("map@100", "map_cut_100"), ("mrr", "recip_rank")):
        assert ours[name] == pytest.approx(sum(each[theirs] for each in found.values()) / 5)
    assert code == 0 and ours["not_ranked"] == 1 and "TREC run file" in result["reading"]["ranking"]["sentence"]
    code, result = call("evaluate", "--ranking", str(tmp_path / "qrels.txt"), "--on", str(tmp_path / "qrels.txt"))
    assert code == 2 and result["error"]["code"] == "E-RANKING"
    for score in ("nan", "inf", "1e999", "high"):
        named = ["query-id,Q0,corpus-id,rank,score,tag", "q0,Q0,d1,1,0.5,me", f"q0,Q0,d2,2,{score},me"]
        (tmp_path / "run.txt").write_text("\n".join(named))
        code, result = call("evaluate", "--ranking", str(tmp_path / "run.txt"), "--on", str(tmp_path / "qrels.txt"))
        assert code == 2 and result["error"]["code"] == "E-RANKING" and "row 2" in result["error"]["message"]


def test_how_a_set_was_read_is_said_and_in_json(call, capfd, store, tmp_path):
    rows = [
        "sentence1;sentence2;relatedness_score",
        *(f"a {row};b {row % 3};{1 + row % 5}" for row in range(9)),
        ";x;1",
    ]
    (tmp_path / "sick.csv").write_text("\n".join(rows))
    asked = ("evaluate", "--baseline", "tfidf", "--on", str(tmp_path / "sick.csv"))
    code, result = call(*asked)
    assert code == 0 and result["reading"]["separator"] == ";" and result["reading"]["scale"] == [1, 5]
    assert result["reading"]["left_out"] == [{"rows": 1, "reason": "one of the two texts is empty", "first": [10]}]
    assert main(list(asked)) == 0 and result["reading"]["sentence"] in capfd.readouterr().err
    code, result = call(*asked, "--separator", "comma")
    assert code == 2
