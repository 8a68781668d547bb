"""The papers' tables as we keep them: printed sums and averages come out of the rows, and spot values are right."""

from collections import Counter, defaultdict
from statistics import mean

import pytest

from embedlab.benchmarks import BENCHMARKS
from embedlab.benchmarks.base import block_average, plain_average, weighted_average
from embedlab.comparison.published import published_values, read_values
from embedlab.corpora.catalog import CATALOG
from embedlab.encoder_catalog.catalog import ENCODERS
from embedlab.errors import EmbedlabError
from embedlab.training.recipes import RECIPES


def value(**wanted) -> float:
    """The one value of these fields."""
    (row,) = published_values(**wanted)
    return row.value


def by_model(**wanted) -> dict[tuple, dict[str, float]]:
    """Model (and heading) -> task -> value."""
    found: dict = defaultdict(dict)
    for row in published_values(**wanted):
        found[row.model, row.setting].setdefault(row.task, row.value)
    return found


def test_spot_values_read_from_the_papers():
    assert value(paper="Crops", table="Table 1", corpus="iclr", encoder="mpnet", recipe="crops") == 58.9
    assert value(paper="Crops", table="Table 1", corpus="reddit", model="SBERT") == 75.0
    assert value(table="print-results.ipynb", corpus="iclr", model="TF-IDF") == 60.0
    assert value(table="Table S4", model="SciBERT", setting="cls") == 21.5
    assert value(table="Table S2", recipe="untouched", setting="whitened, cosine") == 46.9
    assert value(benchmark="crops-table-2", model="MPNet, crops", task="ArguAna") == 50.6
    assert value(benchmark="unsee", recipe="vicreg", task="Retrieval") == 24.79
    assert value(benchmark="beir-14", table="Table 1", model="LA(SER)³, BERT-base, batch 128", task="FEVER") == 0.2691
    assert value(paper="SemCSE", table="Table 1", model="SciNCL", task="query") == 2.29
    assert value(paper="TSDAE", table="Table 2", recipe="tsdae", setting="", task="SciDocs/coread") == 75.0
    assert value(paper="TSDAE", table="Table 6", setting="delete, ratio 0.6") == 78.77


def test_percent_and_shares_become_shares_and_ranks_do_not():
    (percent,) = published_values(paper="Crops", table="Table 1", corpus="iclr", encoder="sbert")
    (rank,) = published_values(paper="SemCSE", table="Table 1", model="SemCSE", task="query")
    assert percent.share == pytest.approx(0.633) and rank.share is None
    assert published_values(benchmark="beir-14", task="NQ", encoder="simcse")[0].share == 0.1628


def test_table_1_of_crops_averages_seven_rows_of_which_six_are_shown():
    shown = published_values(paper="Crops", table="Table 1")
    hidden = published_values(table="print-results.ipynb", setting="39 main categories")
    for average in (row for row in shown if row.task == "average"):
        six = [row.value for row in shown if row.model == average.model and row.task is None]
        (seventh,) = (row.value for row in hidden if row.model == average.model)
        assert len(six) == 6
        assert mean([*six, seventh]) == pytest.approx(average.value, abs=0.06)  # the rows are rounded themselves
        assert mean(six) < average.value - 2  # so the erratum is real


def test_training_on_the_train_split_only_averages_as_in_the_repository():
    rows = published_values(setting="trained on the train split only")
    for average in (row for row in rows if row.task == "average"):
        assert mean(r.value for r in rows if r.model == average.model and r.task is None) == pytest.approx(
            average.value, abs=0.06
        )


def test_block_averages_of_crops_table_2():
    for (model, _), tasks in by_model(benchmark="crops-table-2").items():
        printed = tasks.pop("average")
        assert block_average(tasks).value == pytest.approx(printed, abs=0.08), model  # 24.65 rounds either way


def test_weighted_averages_of_unsee():  # the 45.45 for SimCSE among them
    counts = Counter(task.type for task in BENCHMARKS["unsee"].tasks)
    assert counts.total() == 56
    for (model, _), types in by_model(benchmark="unsee").items():
        printed = types.pop("average")
        assert weighted_average(types, counts) == pytest.approx(printed, abs=0.012), model


def test_beir_averages_are_plain_means_of_fourteen():
    for table in ("Table 1", "Table 2"):
        for (model, _), tasks in by_model(benchmark="beir-14", table=table).items():
            printed = tasks.pop("average")
            assert len(tasks) == 14
            assert plain_average(tasks).value == pytest.approx(printed, abs=0.00011), model


def test_gains_that_laser3_prints_follow_from_its_table_2():
    rows = by_model(benchmark="beir-14", table="Table 2")
    before = rows["SimCSE, MiniLM-L6, Wikipedia", ""]
    after = rows["LA(SER)³ self-reference, MiniLM-L6, Wikipedia", ""]
    printed = {"TRECCOVID": 44.52, "NQ": 125.88, "QuoraRetrieval": 5.22, "average": 43.78}
    for task, gain in printed.items():
        assert 100 * (after[task] / before[task] - 1) == pytest.approx(gain, abs=0.3)


def test_useb_averages_of_tsdae():
    for (model, setting), tasks in by_model(paper="TSDAE", table="Table 2").items():
        parts = [tasks[f"SciDocs/{part}"] for part in ("cite", "cocite", "coread", "coview")]
        assert mean(parts) == pytest.approx(tasks["SciDocs"], abs=0.11), (model, setting)
        pairs = [tasks["TwitterPara/TURL"], tasks["TwitterPara/PIT"]]
        assert mean(pairs) == pytest.approx(tasks["TwitterPara"], abs=0.11), (model, setting)
        four = {name: tasks[name] for name in ("AskUbuntu", "CQADupStack", "TwitterPara", "SciDocs")}
        assert plain_average(four).value == pytest.approx(tasks["average"], abs=0.11), (model, setting)


def test_sts_averages_of_tsdae():
    for (model, _), tasks in by_model(paper="TSDAE", table="Table 11").items():
        if "average" in tasks:
            printed = tasks.pop("average")
            assert len(tasks) == 7 and mean(tasks.values()) == pytest.approx(printed, abs=0.06), model


def test_the_performance_score_of_semcse_follows_from_its_four_tasks():
    """max(0, 1 − ½·(x − best)/(median − best)), mean over the tasks: all twelve models of Table 1."""
    from statistics import median

    rows = by_model(paper="SemCSE", table="Table 1")
    assert len(rows) == 12
    scores: dict = defaultdict(list)
    for task, best in (("title-abstract", min), ("abstract-halves", min), ("query", min), ("clustering", max)):
        top, middle = best(r[task] for r in rows.values()), median(r[task] for r in rows.values())
        for model, tasks in rows.items():
            scores[model].append(max(0.0, 1 - 0.5 * (tasks[task] - top) / (middle - top)))
    for model, parts in scores.items():
        assert mean(parts) == pytest.approx(rows[model]["average"], abs=0.004), model


def test_keys_are_ours_and_every_value_has_its_source():
    tasks = {"useb", "unsee", "beir-14", "crops-table-2", "scirepeval", None}
    for row in published_values():
        assert row.encoder is None or row.encoder in ENCODERS, row
        assert row.recipe is None or row.recipe in RECIPES, row
        assert row.corpus is None or row.corpus in CATALOG, row
        assert row.benchmark in tasks and row.metric and row.paper and row.table and row.source and row.model, row
        assert row.unit == "rank" or 0 <= row.share <= 1, row


def test_no_value_stands_twice():
    seen = [(r.paper, r.table, r.group, r.model, r.setting, r.corpus, r.task, r.metric) for r in published_values()]
    assert len(seen) == len(set(seen))


def test_an_unknown_field_is_said():
    with pytest.raises(TypeError, match="no field model_name"):
        published_values(model_name="x")


def test_a_row_that_is_no_value_is_named_with_its_file_and_line(tmp_path):
    file = tmp_path / "crops.csv"
    file.write_text("paper,table,source,model,metric,value\nCrops,Table 1,§3,A,knn,58.9\nCrops,Table 1,§3,B,knn,5B.9\n")
    with pytest.raises(EmbedlabError, match=r"crops.csv, line 3: value is '5B.9', but "):
        read_values(file)
    file.write_text("paper,table,source,model,metric,value,modle\nCrops,Table 1,§3,A,knn,58.9,B\n")
    with pytest.raises(EmbedlabError, match="line 2: modle is 'B', but "):
        read_values(file)
