"""Layers: opens in every state, offers to measure, shows what was measured, and says why the token layer is flat."""

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
from builders import layer_row, layers_of, leave_state
from doing import asked_of
from seen import drawn, maps, words

from embedlab.corpora.base import Draft, store_corpus
from embedlab.distance import COSINE
from embedlab.jobs.requests.measuring import MeasureLayers
from embedlab.metrics.layer_rows import LayerCurves, best_layer, best_layers_sentence, layers_table
from embedlab.report.contract import layers_rows
from embedlab.runs.drawn_map import LayerMaps, layer_places, read_layer_maps, write_layer_maps
from embedlab.runs.store import delete_run, list_runs
from embedlab.store_root import write_json
from embedlab.ui.components.other_runs import layered_run


def unmarked(said: str) -> str:
    """Without the escapes of Markdown."""
    return said.replace("\\", "")


def measured(last: float = 0.5, *, probed: bool = False) -> dict:
    """Two layers by two poolings; layer 1 of mean pooling has 52 % after. Cosine is ten points above Euclidean."""
    rows = []
    for pooling, low in (("mean", 0.0), ("cls", 0.3)):
        for layer, after in ((0, 0.45), (1, 0.52), (2, last)):
            sides = {"before": (0.35 - low, 0.45 - low), "after": (after - low, after + 0.1 - low)}
            linear = {state: values[0] + 0.2 for state, values in sides.items()} if probed else {}
            rows.append(layer_row(layer, pooling, **sides, linear=linear))
    return layers_of(rows).model_dump(mode="json")


def test_without_a_run_it_says_what_to_do(open_page):
    at = open_page("layers")
    assert not at.exception
    assert "There is no run yet" in words(at)


@pytest.mark.parametrize("state", ["queued", "failed", "interrupted"])
def test_a_run_without_a_result_is_explained(open_page, made_run, state):
    run = made_run("scratch:bert-tiny", state=state)
    at = open_page("layers", run=run.id)
    assert not at.exception
    assert state != "failed" or "The loss became NaN or infinite" in words(at)


def test_measuring_starts_one_job_for_this_run(open_page, made_run, monkeypatch):
    monkeypatch.setattr("embedlab.jobs.runner.start", lambda folder, on=None: folder)
    run = made_run("scratch:bert-tiny")
    at = open_page("layers", run=run.id)
    at.button("layers.measure").click().run()
    (job,) = list_runs("jobs")
    assert not at.exception
    assert asked_of(job) == MeasureLayers(run=run.id, maps=True)
    assert "Measure every layer" not in words(at)  # its progress stands there now


def test_the_curves_the_numbers_and_the_table_say_the_same(open_page, made_run):
    run = made_run("scratch:bert-tiny")
    write_json(run.layers, measured())
    at = open_page("layers", run=run.id, distance="euclidean")
    assert not at.exception
    (figure,) = drawn(at)
    assert figure["layout"]["title"]["text"] == "kNN accuracy (Euclidean distance) after every layer"
    after = next(trace for trace in figure["data"] if trace.get("name") == "mean, after")
    assert after["y"] == [0.45, 0.52, 0.5]
    said = words(at)
    assert "Last layer, before, sample of 120 35.0 %" in said and "after, sample of 120 50.0 % ± 1.0" in said
    assert "Best after: mean, layer 1 52.0 % ± 1.0" in said
    assert "Measured with Euclidean distance on a sample of 120 of the 400 labeled texts, 12 of them tested" in said
    assert list(at.dataframe[0].value["mean after (%)"]) == [45.0, 52.0, 50.0]


def test_the_page_opens_on_cosine_and_the_file_holds_both(open_page, made_run):
    run = made_run("scratch:bert-tiny")
    write_json(run.layers, measured())
    at = open_page("layers", run=run.id)
    assert not at.exception and "120 45.0 %" in words(at) and "120 60.0 % ± 1.0" in words(at)
    assert "Best after: mean, layer 1 62.0 % ± 1.0" in words(at) and "Measured with cosine on" in words(at)
    assert list(at.dataframe[0].value["mean after (%)"]) == [55.0, 62.0, 60.0]
    row = layers_rows(LayerCurves.model_validate(measured())).to_pylist()[2]
    assert (row["before"], row["after"]) == (0.35, 0.5) and (row["before_cosine"], row["after_cosine"]) == (0.45, 0.6)
    assert "cosine" not in row and row["standard_error_after_cosine"] == 0.01


@pytest.mark.parametrize(
    ("gained", "lost", "said"),
    [
        (
            30,
            10,
            "After fine-tuning, layer 1 of 2 with mean pooling separates the classes best (cosine): 62.0 %, "
            "+2.0 points (95 %: 0.3 … 3.7)",
        ),
        (60, 40, "+2.0 points (95 %: −0.6 … 4.6) against the last layer: within the error."),
    ],
)
def test_the_pages_question_is_answered_against_the_last_layer(open_page, made_run, gained, lost, said):
    run, found = made_run("scratch:bert-tiny"), {**measured(), "test_texts": 1000}
    for row in found["layers"]:
        if row["layer"] == 1:
            for knn in row["after"]["knn"].values():
                knn |= {"gained": gained, "lost": lost}
    write_json(run.layers, found)
    at = open_page("layers", run=run.id)
    assert not at.exception and said in unmarked(at.subheader[0].value)
    assert ("within the error" in at.subheader[0].value) == (gained == 60)
    assert "Before, the last layer (2) with mean pooling separates the classes best: 45.0 %." in unmarked(
        at.subheader[0].value
    )


def sentence_of(found: dict, **how) -> str:
    """On the best layers of this file."""
    return best_layers_sentence(LayerCurves.model_validate(found), **how)


def test_the_best_of_all_poolings_leads_and_the_encoders_own_follows():
    told = sentence_of(measured() | {"pooling": "cls"}, distance=COSINE)
    assert told.startswith(
        "After fine-tuning, layer 1 of 2 with mean pooling separates the classes best (cosine): 62.0 %"
    )
    assert "With [CLS] pooling, the encoder's own, layer 1 is best: 32.0 %." in told


def test_headline_and_number_name_the_same_of_equal_layers(open_page, made_run):
    """Layer 1 and the last are at 52 % by mean and by [CLS]: the last one by the encoder's own pooling is named."""
    run, found = made_run("scratch:bert-tiny"), measured(0.52)
    for row in found["layers"]:
        for knn in row["after"]["knn"].values():
            knn["value"] = 0.52 if row["layer"] else 0.1
    write_json(run.layers, found | {"pooling": "cls"})
    at = open_page("layers", run=run.id, distance="euclidean")
    assert not at.exception and "Best after: [CLS], layer 2 52.0 % ± 1.0" in unmarked(words(at))
    assert unmarked(at.subheader[0].value).startswith(
        "After fine-tuning, the last layer (2) with [CLS] pooling separates the classes best"
    )


def test_a_difference_by_ten_folds_has_the_interval_of_ten_folds():
    """30 gained and 10 lost of 1,000: 2 points ± 1.45 · 1.96 · sd / √1000, where sd² = (40 − 1000 · 0.02²) / 999."""
    found = {**measured(), "test_texts": 1000, "protocol": "folds"}
    for knn in found["layers"][1]["after"]["knn"].values():
        knn |= {"gained": 30, "lost": 10}
    curves = LayerCurves.model_validate(found | {"layers": found["layers"][:3]})
    best = best_layer(curves, pooling="mean", state="after", distance=COSINE)
    level = NormalDist().inv_cdf(1 - 0.05 / 2 / 2)  # the best of three layers was picked
    half = 1.45 * level * ((40 - 1000 * 0.02**2) / 999 / 1000) ** 0.5
    assert best.layer == 1 and best.difference.value == pytest.approx(0.02)
    assert (best.difference.low, best.difference.high) == pytest.approx((0.02 - half, 0.02 + half))


def test_on_few_texts_no_layer_is_clearly_better_and_without_training_there_is_one_encoder():
    found = measured(0.4)
    for knn in found["layers"][1]["after"]["knn"].values():
        knn |= {"gained": 12}
    assert "within the error" in sentence_of(found, distance="euclidean")
    assert "within the error" not in sentence_of({**found, "test_texts": 60}, distance="euclidean")
    assert sentence_of(found, distance="cosine", states=("before",)).startswith(
        "As it is, the last layer (2) with mean pooling separates"
    )


def test_an_unmeasured_pooling_of_a_layer_is_an_empty_cell():
    found = measured()
    found["layers"].pop()
    assert layers_table(LayerCurves.model_validate(found).knn("euclidean"))["[CLS] after (%)"].to_pylist() == [
        15.0,
        22.0,
        None,
    ]


def probed() -> dict:
    """The same with a linear probe, 20 points above kNN by Euclidean distance, and token 7."""
    found = measured(probed=True)
    found["layers"] += [row | {"pooling": "token-7"} for row in found["layers"][:3]]
    return found | {"settings": {"token": 7, "linear": True}}


def test_a_linear_probe_is_a_switch_away_in_the_picture_and_the_table(open_page, made_run):
    run = made_run("scratch:bert-tiny")
    write_json(run.layers, measured())
    at = open_page("layers", run=run.id)
    assert "layers.what" not in [each.key for each in at.segmented_control]  # nothing to switch to
    write_json(run.layers, probed())
    at = open_page("layers", run=run.id)
    assert drawn(at)[0]["layout"]["title"]["text"] == "kNN accuracy (cosine) after every layer"
    at.segmented_control(key="layers.what").set_value("Linear probe").run()
    assert not at.exception
    (figure,) = drawn(at)
    assert figure["layout"]["title"]["text"] == "Linear accuracy after every layer"
    names = {trace.get("name"): trace["y"] for trace in figure["data"] if trace.get("mode") == "lines+markers"}
    assert names["token 7, after"] == pytest.approx([0.65, 0.72, 0.7])
    assert list(at.dataframe[0].value["token 7 after (%)"]) == pytest.approx([65, 72, 70])


def test_more_is_measured_with_what_was_chosen_before(open_page, made_run, monkeypatch):
    monkeypatch.setattr("embedlab.jobs.runner.start", lambda folder, on=None: folder)
    run = made_run("scratch:bert-tiny")
    write_json(run.layers, probed())
    at = open_page("layers", run=run.id)
    settings = {"token": 7, "linear": True}
    for button, maps_too in (("layers.draw", True), ("layers.again", False)):
        at.button(button).click().run()
        job = list_runs("jobs")[0]
        assert not at.exception and asked_of(job) == MeasureLayers(run=run.id, maps=maps_too, settings=settings)


def test_the_maps_of_the_layers_say_what_each_layer_knows(open_page, made_run, toy_corpus):
    run = made_run("scratch:bert-tiny")
    write_json(run.layers, measured())
    assert not maps(open_page("layers", run=run.id))
    places = np.random.default_rng(0).normal(size=(3, 40, 2)).astype(np.float32)
    rows = np.arange(0, 80, 2)
    drawn = LayerMaps(rows=rows, before=places, after=places + 1, pooling="mean", of=120, distance="cosine")
    write_layer_maps(run, drawn)
    at = open_page("layers", run=run.id)
    assert not at.exception
    left, right = maps(at)
    assert "Untouched, layer 0" in left and "kNN accuracy 45.0 % (cosine)" in left
    assert "Fine-tuned, layer 1" in right and "kNN accuracy 62.0 % (cosine)" in right
    assert "t-SNE of 40 of the 120 texts measured, by mean pooling" in words(at)
    write_layer_maps(run, replace(drawn, distance="euclidean"))  # the corner is as the curves, whatever drew the map
    left, _ = maps(open_page("layers", run=run.id))
    assert "kNN accuracy 45.0 % (cosine)" in left
    left, right = maps(open_page("layers", run=run.id, distance="euclidean"))
    assert "kNN accuracy 35.0 % (Euclidean distance)" in left and "(cosine)" not in right
    table = layer_places(read_layer_maps(run)).to_pylist()
    assert len(table) == 2 * 3 * 40
    row = next(each for each in table if (each["encoder"], each["layer"], each["row"]) == ("after", 2, 4))
    assert (row["x"], row["y"]) == tuple(places[2, 2] + 1)


def test_why_there_are_no_maps_is_said(open_page, made_run):
    run = made_run("scratch:bert-tiny")
    write_json(run.layers, measured() | {"no_maps": "A map needs texts that differ."})
    at = open_page("layers", run=run.id)
    assert not at.exception and "A map needs texts that differ" in words(at) and not maps(at)


def test_the_token_layer_says_why_it_is_flat_and_offers_the_second_run(open_page, made_run):
    at = open_page("layers", run=made_run("token").id)
    assert not at.exception
    assert "one point and no curve" in words(at)
    assert at.button("layers.layered").label == "Train the demo, whose encoder has layers"


def test_a_run_with_layers_opens_by_default_but_a_chosen_token_run_stays(open_page, made_run):
    layered, token = made_run("scratch:bert-mini", name="with layers"), made_run("token")
    assert open_page("layers").session_state["run"] == layered.id
    at = open_page("layers", run=token.id)
    assert at.session_state["run"] == token.id
    assert at.button("layers.layered").label == "Open with layers"
    at.button("layers.layered").click().run()
    assert at.session_state["run"] == layered.id


def test_a_run_with_layers_and_a_result_comes_first_then_one_on_the_same_texts(made_run, store):
    elsewhere = store_corpus(Draft(name="other", source="other", texts=[f"text {n} of another" for n in range(20)]))
    here, there = made_run("scratch:bert-mini"), made_run("scratch:bert-mini")
    leave_state(there, corpus=elsewhere)
    at_work, token = made_run("scratch:bert-mini", state="queued"), made_run("token")
    assert [run.id for run in list_runs()][:2] == [token.id, at_work.id]
    assert layered_run(token).id == here.id


def test_of_many_runs_those_of_a_token_layer_are_not_looked_at(made_run, monkeypatch):
    far, near = made_run("scratch:bert-tiny"), made_run("scratch:bert-mini")
    tokens, looked = [made_run(encoder) for encoder in ("token", "words", "token")], []
    monkeypatch.setattr("embedlab.ui.components.other_runs.is_own", lambda run: looked.append(run.id))
    assert layered_run(tokens[0]).id == near.id and looked == [near.id]
    delete_run(near), delete_run(far)
    assert layered_run(tokens[0]) is None and looked == [near.id]
    waiting = made_run("scratch:bert-mini", state="queued")
    assert layered_run(tokens[0]).id == waiting.id


def test_another_run_s_layers_stand_in_the_same_picture(open_page, made_run):
    other, run = made_run("scratch:bert-mini", name="other"), made_run("scratch:bert-mini", name="mine")
    for each, last in ((other, 0.9), (run, 0.5)):
        write_json(each.layers, measured(last))
    at = open_page("layers", run=run.id)
    at.multiselect(key="layers.beside").set_value([other.id]).run()
    assert not at.exception, at.exception
    names = [trace["name"] for trace in drawn(at)[0]["data"] if "other" in (trace.get("name") or "")]
    assert names == ["mean, other", "[CLS], other"]
    found = measured(0.9)
    for row in found["layers"]:
        row["before"]["knn"]["cosine"]["value"] += 0.01  # it began with another encoder
    write_json(other.layers, found)
    at.run()
    names = [trace["name"] for trace in drawn(at)[0]["data"] if "other" in (trace.get("name") or "")]
    assert names == ["mean, other", "[CLS], other", "mean, other, before", "[CLS], other, before"]
