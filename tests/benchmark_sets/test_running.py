"""A set from fetching to its summary: against a hub of our own, without one, again, and after a part was lost."""

import json
import os
from dataclasses import replace

import numpy as np
import pytest
from local_tasks import PAIRS, QUESTIONS, SENTENCES
from scipy.stats import spearmanr
from served import retrieval, sts
from stand_in_hub import hub_of, serving

from embedlab.benchmarks import BENCHMARKS
from embedlab.benchmarks.base import needs_of
from embedlab.benchmarks.mteb import Adapter, vectors_hash
from embedlab.benchmarks.run import MeasuredSet, chosen_tasks, run_tasks
from embedlab.cli.benchmarking import list_needs
from embedlab.encoders.embed import embed
from embedlab.errors import NetworkError, UnknownPartError
from embedlab.hub import cached_dataset, keep_list, snapshot_folder
from embedlab.runs.benchmark_scores import read_score, read_summary

SET = BENCHMARKS["crops-table-2"]
STS, ARGUANA = SET.task("STSBenchmark"), SET.task("ArguAna")


@pytest.fixture
def repositories() -> dict:
    documents = {f"d{row}": text for row, text in enumerate(SENTENCES)}
    return {
        STS.dataset: sts([(SENTENCES[one], SENTENCES[other], grade) for one, other, grade in PAIRS]),
        ARGUANA.dataset: retrieval(documents, QUESTIONS),
    }


@pytest.fixture
def cache(store, tmp_path, monkeypatch):
    """An empty Hugging Face cache of this test's own."""
    import datasets

    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "datasets")
    return tmp_path / "hub"


@pytest.fixture
def offline(cache, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def hub(cache, repositories, asked, monkeypatch):
    with hub_of(serving(repositories, asked), monkeypatch) as address:
        yield address


def score(encoder, *keys: str, said=None) -> MeasuredSet:
    progress = (lambda stage, done=0, total=0: said.append(stage)) if said is not None else (lambda *_: None)
    return run_tasks(Adapter(encoder, name="run", progress=progress), SET, chosen_tasks(SET, list(keys)))


def place(dataset: str, revision: str, files: dict[str, bytes]) -> None:
    """As if somebody had fetched it before."""
    for name, data in files.items():
        path = snapshot_folder(dataset, revision) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def test_fetched_scored_kept_and_not_measured_again(hub, asked, tiny):
    encoder, said = tiny(), []
    found = score(encoder, "STSBenchmark", "ArguAna", said=said)
    vectors = embed(encoder, SENTENCES)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ours = spearmanr([vectors[a] @ vectors[b] for a, b, _ in PAIRS], [g for *_, g in PAIRS]).statistic
    assert found.scores["STSBenchmark"] == pytest.approx(ours, abs=1e-5)
    assert 0 < found.scores["ArguAna"] <= 1 and found.average is None and found.tasks == 12
    assert found.groups["STS"] == pytest.approx(ours, abs=5.1e-4)  # blocks are rounded to 0.1 %
    kept = read_score(vectors_hash(encoder), "STSBenchmark")
    assert kept.revision == STS.revision and kept.score == found.scores["STSBenchmark"]
    assert any(STS.revision in path for path in asked)  # the pinned commit, not main
    assert "Task 1 of 2: ArguAna" in said and any("Downloading mteb/arguana" in stage for stage in said)
    assert cached_dataset(STS.dataset, STS.revision) is not None
    asked.clear()
    said.clear()
    assert score(encoder, "STSBenchmark", "ArguAna", said=said).scores == found.scores
    assert asked == [] and not any("embedding" in stage for stage in said)


def test_what_is_here_needs_no_hub_and_sets_that_share_a_task_share_its_score(offline, repositories, tiny):
    place(STS.dataset, STS.revision, repositories[STS.dataset])
    encoder = tiny()
    found = score(encoder, "STSBenchmark", "ArguAna")
    assert list(found.scores) == ["STSBenchmark"]
    assert [need.dataset for need in found.missing] == ["mteb/arguana"]
    said = "1 data set would be downloaded, 10,080 texts in all: mteb/arguana (10,080 texts)."
    assert said in found.missing_sentence
    assert "HF_HUB_OFFLINE" in found.missing_sentence
    assert read_summary(vectors_hash(encoder), "unsee").scores == found.scores


def test_offline_with_nothing_here_says_what_would_be_fetched(offline, tiny):
    with pytest.raises(
        NetworkError, match=r"Nothing could be measured\. 2 data sets would be downloaded, 12,838 texts"
    ):
        score(tiny(), "STSBenchmark", "ArguAna")


def test_a_hub_that_does_not_answer_is_one_sentence(cache, tiny, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    with pytest.raises(NetworkError, match=r"mteb/stsbenchmark-sts could not be downloaded"):
        score(tiny(), "STSBenchmark")


def test_half_a_data_set_is_none(offline, repositories, tiny):
    files = repositories[ARGUANA.dataset]
    keep_list(ARGUANA.dataset, ARGUANA.revision, sorted(files))
    place(ARGUANA.dataset, ARGUANA.revision, {name: files[name] for name in ("README.md", "corpus.jsonl")})
    assert cached_dataset(ARGUANA.dataset, ARGUANA.revision) is None
    place(ARGUANA.dataset, ARGUANA.revision, files)
    assert cached_dataset(ARGUANA.dataset, ARGUANA.revision) is not None


def test_a_part_that_others_fetched_is_refused_not_scored(offline, repositories, tiny):
    files = repositories[ARGUANA.dataset]
    place(ARGUANA.dataset, ARGUANA.revision, {name: files[name] for name in ("README.md", "corpus.jsonl")})
    with pytest.raises(NetworkError, match="needs all files of its data set"):
        score(tiny(), "ArguAna")
    place(ARGUANA.dataset, ARGUANA.revision, files)
    assert score(tiny(), "ArguAna").scores["ArguAna"] > 0


def test_two_encoders_have_two_folders_and_two_scores(offline, repositories, tiny):
    place(STS.dataset, STS.revision, repositories[STS.dataset])
    first, second = tiny(seed=0), tiny(seed=1)
    scores = [score(encoder, "STSBenchmark").scores["STSBenchmark"] for encoder in (first, second)]
    assert scores[0] != scores[1]
    assert read_score(vectors_hash(first), "STSBenchmark").score == scores[0]


def test_an_aggregate_is_the_mean_of_its_parts_and_resumes_among_them(offline, tiny):
    benchmark = BENCHMARKS["like-useb"]
    forums = benchmark.task("CQADupstackRetrieval")
    forums = replace(forums, parts=forums.parts[:2])
    documents = {f"d{row}": text for row, text in enumerate(SENTENCES)}
    for number, part in enumerate(forums.parts):
        answers = {"q": (SENTENCES[number % 10], {f"d{(number + 3) % 10}": 1})}
        place(part.dataset, part.revision, retrieval(documents, answers))
    encoder = tiny()
    adapter = Adapter(encoder, name="run")
    found = run_tasks(adapter, benchmark, (forums,))
    parts = [read_score(vectors_hash(encoder), part.key).score for part in forums.parts]
    assert len(set(parts)) > 1
    assert found.scores["CQADupstackRetrieval"] == pytest.approx(np.mean(parts))


def test_needs_list_data_sets_texts_and_what_is_here(offline, repositories):
    place(STS.dataset, STS.revision, repositories[STS.dataset])
    found = list_needs(SET, chosen_tasks(SET, ["STSBenchmark", "ArguAna"])).facts
    assert [(need["task"], need["is_local"]) for need in found["needs"]] == [("ArguAna", False), ("STSBenchmark", True)]
    assert found["texts"] == 10_080 + 2_758 and found["texts_to_fetch"] == 10_080
    assert len(needs_of(BENCHMARKS["beir-14"].tasks)) == 13 + 12
    assert json.dumps(found)


def test_an_unknown_task_is_said_with_the_choices():
    with pytest.raises(UnknownPartError, match="has no task 'STS99'. Choose from: ArxivClusteringP2P"):
        chosen_tasks(SET, ["STS99"])


def test_useb_is_read_from_the_folder_and_measured_anew_when_its_files_change(store, tiny, tmp_path):
    benchmark = BENCHMARKS["useb"]
    (tmp_path / "twitterpara").mkdir()
    url, pit = (tmp_path / "twitterpara" / name for name in ("Twitter_URL_Corpus_test.txt", "test.data"))
    rows = [f"{SENTENCES[one]}\t{SENTENCES[other]}\t" for one, other, _ in PAIRS]
    url.write_text("".join(f"{row}({round(g)}, 6)\tx\n" for row, (*_, g) in zip(rows, PAIRS, strict=True)))
    pit.write_text("".join(f"1\tt\t{row}{round(g)}\tx\n" for row, (*_, g) in zip(rows, PAIRS, strict=True)))
    encoder = tiny()
    adapter, task = Adapter(encoder, name="run"), (benchmark.task("TwitterPara"),)
    found = run_tasks(adapter, benchmark, task, folder=str(tmp_path))
    kept = read_score(vectors_hash(encoder), "USEB-TwitterPara")
    assert found.scores == {"TwitterPara": kept.score} and set(kept.scores) == {"TURL", "PIT"}
    assert run_tasks(adapter, benchmark, task).scores == found.scores  # kept: no folder is needed
    whole = run_tasks(adapter, benchmark, benchmark.tasks, folder=str(tmp_path))
    assert whole.scores == found.scores and whole.missing_sentence.startswith("Not measured: 3 of 4 tasks.")
    pit.write_text(pit.read_text().replace("\t4\t", "\t0\t", 1))
    assert run_tasks(adapter, benchmark, task, folder=str(tmp_path)).scores != found.scores


def test_the_hub_cache_follows_the_variables_that_hub_libraries_obey(monkeypatch, tmp_path):
    from embedlab.hub import hub_cache

    for name in ("HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert hub_cache().parts[-3:] == (".cache", "huggingface", "hub")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert hub_cache() == tmp_path / "xdg" / "huggingface" / "hub"
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    assert hub_cache() == tmp_path / "home" / "hub"
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    assert hub_cache() == tmp_path / "cache" and os.environ["HF_HOME"]
