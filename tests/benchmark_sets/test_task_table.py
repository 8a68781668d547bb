"""Our table of mteb's tasks is what the installed mteb says. ``PYTHONPATH=. python`` with this file renews it."""

import json
from collections import Counter
from pathlib import Path

import pytest

from embedlab.benchmarks import BENCHMARKS
from embedlab.benchmarks.base import BenchmarkTask
from embedlab.benchmarks.mteb import find_task
from embedlab.benchmarks.sets import BEIR_14, MTEB_TASKS, TABLE, UNSEE


def described(task) -> dict:
    """A row of the table, from mteb's metadata and descriptive statistics."""
    metadata = task.metadata
    row = {"key": metadata.name, "type": metadata.type, "metric": metadata.main_score}
    if task.is_aggregate:
        parts = [described(part) for part in metadata.tasks]
        documents = [documents_of(part) for part in metadata.tasks]
        long = {"characters": mean_length(documents)} if any(documents) else {}
        return row | {"texts": sum(part["texts"] for part in parts), **long, "parts": parts}
    dataset = metadata.dataset
    read = {"splits": list(task.eval_splits), "subsets": list(task.hf_subsets), "texts": texts_of(task)}
    documents = documents_of(task)
    long = {"characters": mean_length([documents])} if documents else {}
    return row | {"dataset": dataset["path"], "revision": dataset["revision"]} | read | long


def documents_of(task) -> tuple[int, int] | None:
    """Characters of all documents that a retrieval task searches, and how many these are."""
    if task.metadata.type != "Retrieval":
        return None
    (split,) = task.eval_splits
    stats = task.metadata.descriptive_stats[split]
    (subset,) = task.hf_subsets
    lengths = stats.get("hf_subset_descriptive_stats", {}).get(subset, stats)["documents_text_statistics"]
    total = lengths["total_text_length"]
    return total, round(total / lengths["average_text_length"])


def mean_length(documents: list[tuple[int, int]]) -> int:
    return round(sum(total for total, _ in documents) / sum(number for _, number in documents))


def texts_of(task) -> int:
    """Texts in the splits that are read; a classifier is trained on the train split as well."""
    splits = {*task.eval_splits, *(["train"] if task.metadata.type == "Classification" else [])}
    found = 0
    for split in splits:
        stats = task.metadata.descriptive_stats[split]
        for subset in task.hf_subsets:
            found += texts_in(stats.get("hf_subset_descriptive_stats", {}).get(subset, stats))
    return found


def texts_in(stats: dict) -> int:
    """mteb states lengths, of each kind of text in total and on average: their ratio is the number of texts."""
    lengths = [v for v in stats.values() if isinstance(v, dict) and "total_text_length" in v]
    return sum(round(kind["total_text_length"] / kind["average_text_length"]) for kind in lengths)


def table() -> dict:
    import mteb

    tasks = sorted(mteb.get_benchmark("MTEB(eng, v1)").tasks, key=lambda task: (task.metadata.type, task.metadata.name))
    return {"mteb": mteb.__version__, "tasks": [described(task) for task in tasks]}


@pytest.mark.slow
def test_the_table_is_that_of_the_installed_mteb():
    assert json.loads(TABLE.read_text(encoding="utf-8")) == table(), f"run: PYTHONPATH=. python {Path(__file__).name}"


def test_unsee_has_56_sets_in_the_numbers_of_the_paper():
    assert len(UNSEE.tasks) == 56
    assert Counter(task.type for task in UNSEE.tasks) == {
        "Classification": 12, "Clustering": 11, "PairClassification": 3, "Reranking": 4, "Retrieval": 15, "STS": 10,
        "Summarization": 1,
    }  # fmt: skip
    assert MTEB_TASKS["MSMARCO"].splits == ("dev",)  # as UNSEE measured it


@pytest.mark.parametrize("key", ["MSMARCO", "STS17", "STSBenchmark", "AmazonReviewsClassification"])
def test_a_task_is_restricted_as_in_the_table(key):
    task = find_task(MTEB_TASKS[key])
    assert task.metadata.name == key
    assert (tuple(task.eval_splits), tuple(task.hf_subsets)) == (MTEB_TASKS[key].splits, MTEB_TASKS[key].subsets)


def test_parts_of_an_aggregate_are_found_by_their_names():
    forums = MTEB_TASKS["CQADupstackRetrieval"]
    assert find_task(forums.parts[0]).metadata.name == forums.parts[0].key


def test_beir_14_is_beir_without_msmarco():
    import mteb

    names = {task.metadata.name for task in mteb.get_benchmark("BEIR").tasks}
    assert {task.key for task in BEIR_14.tasks} == names - {"MSMARCO"} and len(BEIR_14.tasks) == 14


def test_texts_are_counted_by_hand():
    assert MTEB_TASKS["ArguAna"].texts == 1_406 + 8_674  # queries and documents
    assert MTEB_TASKS["SciFact"].characters == 1_499 and MTEB_TASKS["STS15"].characters is None
    assert all(task.characters for task in BEIR_14.tasks)
    assert MTEB_TASKS["STS15"].texts == 2 * 3_000  # pairs
    assert MTEB_TASKS["Banking77Classification"].texts == 3_080 + 10_003  # test and train
    assert MTEB_TASKS["STS17"].texts == 2 * 250  # English with English only
    assert MTEB_TASKS["SummEval"].texts == 100 + 1_100 + 1_600
    forums = MTEB_TASKS["CQADupstackRetrieval"]
    assert len(forums.parts) == 12 and forums.texts == sum(part.texts for part in forums.parts)


def test_every_set_says_what_it_is_and_every_task_where_its_texts_lie():
    for benchmark in BENCHMARKS:
        assert benchmark.title and benchmark.sentence[-1] in ".?" and benchmark.averaging.endswith(".")
        for task in benchmark.tasks:
            assert isinstance(task, BenchmarkTask) and task.type and task.metric
            if benchmark.reader == "mteb":
                assert all(part.dataset.startswith("mteb/") and len(part.revision) == 40 for part in task.datasets)
                assert all(part.texts > 0 for part in task.datasets)


@pytest.mark.parametrize("key", ["crops-table-2", "unsee", "beir-14", "useb", "like-useb"])
def test_the_named_sets(key):
    assert key in BENCHMARKS


if __name__ == "__main__":
    TABLE.write_text(json.dumps(table(), indent=1) + "\n", encoding="utf-8")
