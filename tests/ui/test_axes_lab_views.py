"""Axes and the lab on the page Maps: empty, waiting, failed, drawn; a guess comes before the names."""

import numpy as np
import pytest
from builders import leave_state
from doing import asked_of, queued
from seen import drawn, maps, words

from embedlab.jobs.questions import ask_folder, give_array, tidy_arrays
from embedlab.jobs.requests.drawing import DrawLab
from embedlab.report.map_experiments import EXPERIMENTS
from embedlab.runs.drawn_map import YOUR_TEXTS, LabFacts, LabMap, read_four_maps
from embedlab.runs.example import TOKEN, example_run
from embedlab.runs.store import list_runs, stored_request
from embedlab.store_root import read_json, write_json
from embedlab.ui.maps.axes_view import _cosines, _meaning
from embedlab.ui.maps.lab import shuffled_order


@pytest.fixture
def view_of(open_page, made_run, monkeypatch):
    """``view_of("Axes")``: a run's page Maps, on this view."""
    monkeypatch.setattr("embedlab.jobs.questions.submit", lambda request: None)

    def opened(name: str):
        run = made_run()
        run.embeddings("after").parent.mkdir()
        for side in ("before", "after"):
            np.save(run.embeddings(side), np.ones((120, 4), np.float32))
        return run, open_page("maps", run=run.id, view=name)

    return opened


def questions() -> list:
    return sorted(ask_folder().glob("*.question.json"))


def answer_axes(file, *, known=(True, True)) -> np.ndarray:
    cosines = np.random.default_rng(0).uniform(-0.2, 0.8, (2, 2, 120)).astype(np.float32)
    cosines[1, 1] = cosines[1, 0]
    found = {"array": give_array(cosines), "has_tokens": {"before": list(known), "after": list(known)}}
    write_json(ask_folder() / file.name.replace("question", "answer"), found)
    file.unlink()
    return cosines


def test_axes_say_what_to_do_and_offer_two_classes(view_of):
    run, at = view_of("Axes")
    assert not at.exception and "Type two phrases" in words(at) and not drawn(at)
    at.button(key="maps.axes-example").click().run()
    (file,) = questions()
    asked = read_json(file)
    assert asked["kind"] == "axes" and asked["phrases"] == ["astronomy", "cooking"]
    assert asked["sides"]["before"] == {"run": run.id, "name": "before"}
    assert "Embedding with both encoders" in words(at)


def test_axes_are_drawn_with_names_units_and_what_they_share(view_of):
    _, at = view_of("Axes")
    at.button(key="maps.axes-example").click().run()
    answer_axes(questions()[0])
    at.run()
    assert not at.exception
    before, after = drawn(at)
    assert before["layout"]["xaxis"]["title"]["text"] == "cosine to “astronomy”"
    assert before["layout"]["xaxis"]["range"] == after["layout"]["xaxis"]["range"]
    assert before["layout"]["yaxis"]["range"] == after["layout"]["yaxis"]["range"]
    said = words(at)
    assert "r = 1.00 after" in said and "Nearly one axis" in said and "Highest on “astronomy”" in said
    assert "120 texts, one point each" in said


def test_an_answer_whose_array_is_gone_is_asked_for_again(view_of):
    _, at = view_of("Axes")
    at.button(key="maps.axes-example").click().run()
    answer_axes(questions()[0])
    tidy_arrays()
    _cosines.clear()
    at.run()
    assert not at.exception and len(questions()) == 1 and "Embedding with both encoders" in words(at)


def test_an_unknown_phrase_is_said(view_of):
    _, at = view_of("Axes")
    at.button(key="maps.axes-example").click().run()
    answer_axes(questions()[0], known=(True, False))
    at.run()
    assert not at.exception and "no token of “cooking”" in words(at) and not drawn(at)


def test_what_a_correlation_means():
    assert _meaning(0.95).startswith("Nearly one axis:") and _meaning(-0.9).startswith("Nearly one axis, reversed")
    assert (
        _meaning(-0.1) == "Two different questions."
        and "same thing" in _meaning(0.5)
        and "vary" in _meaning(float("nan"))
    )


def write_lab(run, experiment: str = "perplexity", side: str = "after") -> None:
    folder = run.lab(side, experiment)
    folder.mkdir(parents=True)
    np.save(folder / "maps.npy", np.random.default_rng(0).normal(size=(4, 30, 2)).astype(np.float32))
    np.save(folder / "rows.npy", np.arange(0, 120, 4))
    of = {"noise": ["your texts", "Gaussian noise", "Gaussian noise", "your texts, shuffled"]}
    names = {
        "perplexity": ["perplexity 2", "perplexity 10", "perplexity 30", "perplexity 100"],
        "noise": ["your texts", "Gaussian noise", "Gaussian noise, perplexity 5", "your texts, shuffled"],
        "exaggeration": [f"early exaggeration {each}" for each in (1, 4, 12, 30)],
        "seeds": [f"random start {each}" for each in range(4)],
    }[experiment]
    four = [
        {
            "name": name,
            "of": of.get(experiment, ["your texts"] * 4)[n],
            "true": 0.6,
            "texts": 30,
            "kept": 0.5 + n / 10,
            "chance": 0.05,
        }
        | {"perplexity": (2, 10, 5, 100)[n], "kl_divergence": 1.0, "knn_in_picture": 0.6 + n / 10}
        for n, name in enumerate(names)
    ]
    write_json(folder / "facts.json", {"texts": 30, "of": 120, "dim": 8, "apart": 0.8, "apart_pca": 0.1, "maps": four})


def test_the_lab_is_drawn_once_when_asked(view_of, monkeypatch):
    monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
    run, at = view_of("Test your reading")
    assert not at.exception and "drawn once and kept" in words(at)
    at.button(key="lab-perplexity").click().run()
    request = DrawLab(run=run.id, side="after", experiment="perplexity")
    assert [asked_of(job) for job in list_runs("jobs")] == [request]
    assert not at.exception and "Draw the four maps" not in words(at)


def test_a_lab_that_failed_says_why_and_can_be_tried_again(view_of):
    run, at = view_of("Test your reading")
    job = queued(DrawLab(run=run.id, side="after", experiment="perplexity"))
    leave_state(job, "failed", error={"code": "E-FEW-TEXTS", "message": "Too few texts."})
    at.run()
    assert "Too few texts." in words(at) and "Try again" in words(at)


def test_the_guess_comes_before_names_and_numbers(view_of):
    run, at = view_of("Test your reading")
    write_lab(run)
    at.run()
    assert not at.exception and len(maps(at)) == 4
    assert "perplexity 2?" in words(at) and "kNN in the picture" not in "".join(maps(at))
    assert "**A** perplexity" not in words(at) and "astronomy" not in "".join(maps(at))
    order = shuffled_order(run, "after", "perplexity")
    right = "ABCD"[order.index(0)]
    at.segmented_control(key=f"lab-guess-{run.id}-after-perplexity").set_value(right).run()
    assert not at.exception
    assert "Right." in words(at) and f"**{right}** perplexity 2" in words(at) and "astronomy" in "".join(maps(at))
    assert "kNN in the picture 60 %, 50 % of neighbors kept (by chance 5 %)" in "".join(maps(at))
    wrong = next(letter for letter in "ABCD" if letter != right)
    at.segmented_control(key=f"lab-guess-{run.id}-after-perplexity").set_value(wrong).run()
    assert f"The answer is: {right}." in words(at)


def test_the_experiment_stands_in_the_address_and_is_read_from_it(view_of, open_page):
    run, at = view_of("Test your reading")
    at.segmented_control(key="maps.lab").set_value("Random data").run()
    assert at.query_params["maps.lab"] == "Random data" and at.query_params["maps.lab_side"] == "after"
    at = open_page("maps", run=run.id, **{"view": "Test your reading", "maps.lab": "Seeds"})
    assert not at.exception and "What will the four maps have in common?" in words(at)


def test_a_guess_survives_switching_and_a_reload_and_belongs_to_one_session(view_of, open_page, monkeypatch):
    monkeypatch.setattr("embedlab.ui.maps.lab.session_id", lambda: "mine")
    run, at = view_of("Test your reading")
    write_lab(run)
    write_lab(run, "noise")
    at.run()
    key = f"lab-guess-{run.id}-after-perplexity"
    at.segmented_control(key=key).set_value("B").run()
    at.segmented_control(key="maps.lab").set_value("Random data").run()
    assert at.segmented_control(key=f"lab-guess-{run.id}-after-noise").value is None
    at.segmented_control(key="maps.lab").set_value("Perplexity").run()
    assert at.segmented_control(key=key).value == "B" and "kNN in the picture" in "".join(maps(at))
    address = {"run": run.id, "view": "Test your reading", "maps.lab": "Perplexity"}
    at = open_page("maps", **address)
    assert at.segmented_control(key=key).value == "B" and "kNN in the picture" in "".join(maps(at))
    at.segmented_control(key=key).set_value(None).run()  # taken back
    assert open_page("maps", **address).segmented_control(key=key).value is None
    at.segmented_control(key=key).set_value("B").run()
    monkeypatch.setattr("embedlab.ui.maps.lab.session_id", lambda: "another")
    assert open_page("maps", **address).segmented_control(key=key).value is None


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda each: each.key)
def test_packaged_experiments_open_at_once_without_a_run(open_page, experiment):
    at = open_page("maps", **{"view": "Test your reading", "maps.lab": experiment.title})
    assert not at.exception and len(maps(at)) == 4 and experiment.question in words(at)
    guess = at.segmented_control(key=f"lab-guess-token-after-{experiment.key}")
    guess.set_value(guess.options[0]).run()
    facts = read_four_maps(example_run(TOKEN), "after", experiment.key).facts
    assert not at.exception and experiment.lesson(facts) in words(at)


@pytest.mark.parametrize("state", ["failed", "interrupted"])
def test_without_a_result_the_address_still_opens_the_packaged_experiments(open_page, made_run, state):
    run = made_run(state=state)
    at = open_page("maps", run=run.id, **{"view": "Test your reading", "maps.lab": "Seeds"})
    assert not at.exception and "This run has no result to show here." in words(at)
    assert len(maps(at)) == 4 and "What will the four maps have in common?" in words(at)


def test_where_nothing_is_drawn_yet_the_packaged_experiment_stands_above_the_button(view_of):
    _, at = view_of("Test your reading")
    assert not at.exception and len(maps(at)) == 4
    assert "1,000 of 10,803 texts of the packaged example" in words(at) and "Draw the four maps" in words(at)
    assert words(at).index("Which of the four") < words(at).index("Draw the four maps")
    assert "Compared with" not in words(at)  # question and maps share a screen of 720 pixels


UNCLEAR = "Here it has no clear effect: neighbors kept 50, 53, 51 and 52 %"


@pytest.mark.parametrize(
    ("knn", "effect"),
    [
        ((0.52, 0.58, 0.54, 0.53), f"{UNCLEAR}, kNN in the picture 52, 58, 54 and 53 % (± 1.1 each), with 1 (without"),
        ((0.45, 0.58, 0.54, 0.53), "The map without it is worse here:"),
        ((0.65, 0.58, 0.54, 0.53), "The map without it is better here:"),
        ((None,) * 4, f"{UNCLEAR}, with 1 (without it), 4, 12 and 30"),
    ],
)
def test_what_is_said_of_exaggeration_is_what_its_numbers_show(knn, effect):
    """Two standard errors of a difference of shares near 0.5 of 2,000 texts are √2 · 2 · 0.0112 = 0.032."""
    kept = (0.50, 0.53, 0.51, 0.52)
    four = [
        LabMap("", YOUR_TEXTS, 30, 1, true=0.5, kept=one, chance=0.05, texts=2_000, knn_in_picture=other)
        for one, other in zip(kept, knn, strict=True)
    ]
    (exaggeration,) = (each for each in EXPERIMENTS if each.key == "exaggeration")
    assert effect in exaggeration.lesson(LabFacts(2_000, 2_000, four, 8))


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda each: each.key)
def test_every_experiment_teaches_something(view_of, experiment):
    run, at = view_of("Test your reading")
    write_lab(run, experiment.key)
    at.segmented_control(key="maps.lab").set_value(experiment.title).run()
    guess = at.segmented_control(key=f"lab-guess-{run.id}-after-{experiment.key}")
    guess.set_value(guess.options[0]).run()
    assert not at.exception and len(maps(at)) == 4
    four = read_four_maps(run, "after", experiment.key)
    assert experiment.lesson(four.facts) in words(at)
    choices, right = experiment.choices([2, 0, 3, 1], four.names)
    assert right in choices and (experiment.answers or right == "B")


def test_a_noise_map_names_no_text(view_of):
    run, at = view_of("Test your reading")
    write_lab(run, "noise")
    at.segmented_control(key="maps.lab").set_value("Random data").run()
    at.segmented_control(key=f"lab-guess-{run.id}-after-noise").set_value("A").run()
    with_texts = [part for part in maps(at) if stored_request(run).settings["corpus"] in part]
    assert len(with_texts) == 1


def test_maps_older_than_the_embeddings_are_not_shown(view_of):
    import os

    run, at = view_of("Test your reading")
    write_lab(run)
    os.utime(run.embeddings("after"), ns=(2**62, 2**62))
    at.run()
    assert "Draw the four maps" in words(at)
