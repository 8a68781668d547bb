"""What is refused, and by which sentence: one call for each refusal that no longer test of its part meets."""

import sys
from types import SimpleNamespace

import numpy as np
import plotly.graph_objects as go
import pyarrow as pa
import pytest
import torch
from builders import finished, leave_result
from torch import nn

from embedlab.augmentations.fit import require_fit
from embedlab.baselines.static_vectors import read_vectors
from embedlab.benchmarks import useb
from embedlab.cli import diagnosing, learning, listing
from embedlab.comparison.best import known_metrics
from embedlab.comparison.published import published_values, read_values
from embedlab.corpora.base import Draft, store_corpus
from embedlab.corpora.tables import Table, require
from embedlab.device import choose_device
from embedlab.diagnostics import cka, word_deletion
from embedlab.diagnostics.attention_gain import AttentionGain
from embedlab.encoder_catalog.adapter import AdapterConfig
from embedlab.encoders.adapters.lora import attach
from embedlab.encoders.processes import Processes
from embedlab.errors import EmbedlabError
from embedlab.figures.frame import framed
from embedlab.finds.labelling import labels_in, take_labels
from embedlab.finds.model import FindSettings
from embedlab.finds.store import Find
from embedlab.learn.catalog import _step
from embedlab.learn.lesson import DrawQuestion, LessonPicture, Step
from embedlab.limits import LIMITS, check_columns, check_unpacked
from embedlab.objectives import OBJECTIVES
from embedlab.objectives.matryoshka import Matryoshka
from embedlab.report.methods import methods_of
from embedlab.runs.label_lineage import labels_read_of_run
from embedlab.statistics.intervals import paired_shares
from embedlab.studies.request import corpora_of
from embedlab.tasks.fine_tune.preparing import guide_of
from embedlab.tasks.fine_tune.warnings import _of_pairs
from embedlab.tasks.import_embeddings import _require_some
from embedlab.tasks.mining import required
from embedlab.training.loop import _halve
from embedlab.ui.components.map_view import map_payload
from embedlab.vectors.dimensions import within
from embedlab.vectors.opened import _mapped

ENCODER = SimpleNamespace(dim=8, reference="tiny", layers=2, model=object(), parts=None)
UNMINED = SimpleNamespace(rows=[], removed={"range_min": 3, "positives": 9, "margin": 0})
FACTS = {"a.b": SimpleNamespace(is_curve=False)}
CURVE = Step("Guess", draw=DrawQuestion.model_construct(truth="a.b", start=None))
BORS = Step("Look", picture=LessonPicture("bors", {}))
TOO_BIG = LIMITS.archive_bytes + 1


def objective(key: str, encoder: SimpleNamespace = ENCODER, **settings):
    part = OBJECTIVES[key]
    return part(part.config_class(**settings), encoder)


def read_by(key: str, texts: int):
    return objective(key, wiring="projection")(lambda tokens: torch.rand(texts, 8), [None, None])


def files(**given):
    return SimpleNamespace(**{name: given.get(name) for name in
                              ("before", "after", "coordinates", "coordinates_after")}, names=given)  # fmt: skip


def payload(**changed):
    two = {"coordinates": np.zeros((2, 2)), "categories": np.zeros(2, int), "class_names": ["a"], "colours": ["red"]}
    return map_payload(**two | changed)


REFUSED = {
    "parts that do not fit": (lambda: require_fit("X", frozenset({"labels"}), frozenset()), "E-UNFIT", "X does not"),
    "no negatives": (lambda: required(UNMINED, 2, SimpleNamespace(negatives=3)), "E-NO-NEGATIVES",
                     r"None of 2 pairs has 3 texts as negatives; candidates were removed: 3 by range_min\. "),
    "a number as a curve": (lambda: _step(CURVE, FACTS, 3), "E-LESSON-FACT", "needs a curve as its truth, and 'a.b'"),
    "no view": (lambda: _step(BORS, FACTS, 3), "E-LESSON-VIEW",
                "Step 3 shows 'bors', which is not a view. Did you mean 'bars'"),
    "half a metric": (lambda: known_metrics(["knn/cv9"]), "E-METRIC", "Only cv10 can follow"),
    "no such device": (lambda: choose_device("tpu"), "E-DEVICE", "'tpu' is not available. Choose from: auto, .*cpu"),
    "no layers to recompute": (lambda: attach(SimpleNamespace(
        layers=1, reference="tiny", model=nn.ModuleDict({"attention": nn.Linear(2, 2)})
    ), AdapterConfig(kind="lora", recompute_layers=True)), "E-RECOMPUTE", "cannot be computed again"),
    "other layers": (lambda: cka.CKA.measure(SimpleNamespace(encoder=ENCODER, untouched=SimpleNamespace(
        encoder=SimpleNamespace(layers=4))), None), "E-LAYERS", "has 2, the other 4"),
    "dimensions of a loss": (lambda: Matryoshka(objective("infonce"), {16: 1.0}, ENCODER), "E-DIMENSIONS",
                             "names 16 dimensions, but tiny has 8"),
    "a loss with a head": (lambda: Matryoshka(objective("infonce", head="mlp"), {4: 1.0}, ENCODER), "E-MATRYOSHKA",
                           "through a head"),
    "no dimensions": (lambda: within(0, 8), "E-DIMENSIONS", "from 1 to 8"),
    "too many dimensions": (lambda: within(9, 8), "E-DIMENSIONS", "9 dimensions are to be kept"),
    "a second file alone": (lambda: _require_some(files(after="b.npy")), "E-SETTING", "'after' is given, but 'before'"),
    "second coordinates alone": (lambda: _require_some(files(coordinates_after="b")), "E-SETTING", "'coordinates' is"),
    "no file": (lambda: _require_some(files()), "E-SETTING", "none is given"),
    "no memory for one text": (lambda: _halve(SimpleNamespace(parts=None, layers=0), None, 2), "E-MEMORY", "few"),
    "no batch of one": (lambda: read_by("vicreg", texts=1), "E-BATCH-SIZE", "VICReg needs at least 2 texts in a batch"),
    "a guide without pairs": (lambda: guide_of(SimpleNamespace(pairs=None, settings=SimpleNamespace(
        objective={"guide": "minilm"})), np.arange(2)), "E-GUIDE", "needs given pairs"),
    "few tokens": (lambda: AttentionGain.measure(SimpleNamespace(encoder=SimpleNamespace(
        tokenize=lambda texts, role: [[1, *range(5, 5 + len(texts[0])), 2]]), typed=["ab"]), None), "E-FEW-TOKENS",
        "but this one has 2. Type a longer one"),
    "maps without a run": (lambda: diagnosing.layers(None, of=SimpleNamespace(run=None), reading=None, maps=True),
                           "E-MAPS", "specify it with --run"),
    "a zip bomb": (lambda: check_unpacked(TOO_BIG, TOO_BIG, "a.zip", code="E-BOMB", advice="Stop."), "E-BOMB", "Stop"),
    "no folder of USEB": (lambda: useb.score_useb("SciDocs", None, None), "E-USEB-FOLDER", "no folder was named"),
    "another split": (lambda: require("dev", ["test", "train"], "split", "x/y"), "E-SPLIT", "no split 'dev'"),
    "a column of no lists": (lambda: list(Table(pa.table({"summaries": ["[1"]}), "t").lists("summaries")), "E-LIST",
                             "summaries of 't' must be a list, but row .* has '.1'"),
}  # fmt: skip
WRONG = {
    "a figure that is not read out": (lambda: framed(go.Figure(), title="T", x="", y="", alt=" ", dark=False),
                                      "'T' needs a sentence"),
    "other texts": (lambda: paired_shares(before=np.ones(2, bool), after=np.ones(3, bool)), "found 2 and 3"),
    "a map of infinite places": (lambda: payload(coordinates=np.full((2, 2), np.inf)), "needs finite coordinates"),
    "a map of too few rows": (lambda: payload(row_ids=np.arange(3)), "2 texts needs as many row_ids, but got 3"),
    "a map of too few colors": (lambda: payload(colours=[]), "1 classes needs as many colors, but got 0"),
    "a map of an unnamed class": (lambda: payload(categories=np.array([0, 1])), "below the number of classes, 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_done_is_refused_in_a_sentence(name):
    call, code, sentence = REFUSED[name]
    with pytest.raises(EmbedlabError, match=sentence) as refused:
        call()
    assert refused.value.code == code


@pytest.mark.parametrize("name", WRONG)
def test_what_only_a_mistake_of_ours_can_pass_is_refused_too(name):
    call, sentence = WRONG[name]
    with pytest.raises(ValueError, match=sentence):
        call()


def test_two_texts_are_a_batch():
    assert read_by("vicreg", texts=2)["loss"].isfinite()


def test_limits_refuse_one_more_than_they_allow():
    check_columns(LIMITS.columns, "t.csv")
    check_unpacked(LIMITS.archive_bytes, LIMITS.archive_bytes, "a.zip", code="E", advice="")
    with pytest.raises(EmbedlabError, match=f"at most {LIMITS.columns:,} are read"):
        check_columns(LIMITS.columns + 1, "t.csv")
    small, ratio = LIMITS.archive_ratio_from_bytes, LIMITS.archive_ratio
    check_unpacked(small, 1, "a.zip", code="E", advice="")  # too small to be a bomb
    check_unpacked(2**20 * ratio, 2**20, "a.zip", code="E", advice="")
    with pytest.raises(EmbedlabError, match="unpacks to more than its limit"):
        check_unpacked(2**20 * ratio + 1, 2**20, "a.zip", code="E", advice="")


def test_damaged_files_are_named(tmp_path):
    vectors, table, pairs, arrays = (tmp_path / name for name in ("v.bin", "t.csv", "p.txt", "a.npy"))
    vectors.write_bytes(b"2 3\ncat " + np.array([1, 2, 3.3], "<f4").tobytes() + b"\ndog " + b"\0\0\x80\xbf")
    with pytest.raises(EmbedlabError, match="should hold 2 words of 3 numbers, but ends after 1"):
        read_vectors(vectors, {"cat"})
    table.write_text("paper,share\nx,much\n", encoding="utf-8")
    with pytest.raises(EmbedlabError, match=r"t.csv, line 2: .* is .*, but") as refused:
        read_values(table)
    assert refused.value.code == "E-PUBLISHED"
    with pytest.raises(TypeError, match="no field citty"):
        published_values(citty="x")
    pairs.write_text("a\tb\n", encoding="utf-8")
    with pytest.raises(EmbedlabError, match="Line 1 of p.txt needs 3 tab-separated columns, but has 2"):
        useb._lines(pairs, 3)
    assert useb._lines(pairs, 2) == [["a", "b"]]
    with pytest.raises(EmbedlabError, match=r"p.txt is not the JSON that USEB's authors release"):
        useb._json(pairs)
    for array in (np.arange(3.0), np.zeros((2, 2), complex), np.zeros((0, 3))):
        np.save(arrays, array)
        with pytest.raises(EmbedlabError, match="One array of real numbers"):
            _mapped(arrays, "a.npy")


def test_a_run_whose_encoder_or_settings_are_gone_is_named(toy_corpus):
    run = finished(toy_corpus, recipe="supervised")
    assert leave_result(run, toy_corpus, supervised=True).saw_labels
    with pytest.raises(EmbedlabError, match="was trained with labels") as refused:
        labels_read_of_run(run)
    assert refused.value.code == "E-LABELS-UNKNOWN"
    with pytest.raises(EmbedlabError, match="was made before runs kept all their settings"):
        methods_of(run)
    bare = store_corpus(Draft(name="bare", source="x", texts=["One text.", "Another one."]))
    with pytest.raises(
        EmbedlabError, match=r"bare of the series lacks two classes of two texts, .*y\. Leave it out\.$"
    ):
        corpora_of(toy_corpus.info, [bare.fingerprint])
    with pytest.raises(EmbedlabError, match=r"none called 'other'\. There are: "):
        corpora_of(toy_corpus.info, ["other"])


def test_where_one_process_of_a_run_is_gone_the_others_say_how_to_go_on():
    others = object.__new__(Processes)  # as if connected
    others.count, others.is_over = 2, False
    with pytest.raises(EmbedlabError, match="continues from its newest checkpoint"), others._connected():
        raise RuntimeError("Connection closed by peer")
    assert others.is_over


def test_a_file_of_labels_that_fits_no_drawing_is_refused(toy_corpus, tmp_path):
    file = tmp_path / "labels.csv"
    file.write_text("id,text\n0,x\n", encoding="utf-8")
    with pytest.raises(EmbedlabError, match="have been drawn for labeling yet"):
        take_labels(toy_corpus, file)
    with pytest.raises(EmbedlabError, match="columns id, text and label, but 'labels.csv' has no column 'label'"):
        labels_in(toy_corpus, SimpleNamespace(rows=(0,), labels={}), file, name="labels.csv")


def test_parts_of_speech_without_their_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "HanTa.HanoverTagger", None)
    with pytest.raises(EmbedlabError, match="pip install HanTa"):
        word_deletion._tagger.__wrapped__()


def test_pairs_that_were_held_back_are_counted():
    info = SimpleNamespace(notes=["of the pairs"])
    notes = _of_pairs(SimpleNamespace(pairs=SimpleNamespace(info=info), held_back=2))
    assert notes[0] == "of the pairs" and notes[1].code == "I-HELD-BACK"
    assert notes[1].message.startswith("2 pairs contain a test text")
    assert _of_pairs(SimpleNamespace(pairs=SimpleNamespace(info=info), held_back=0)) == ["of the pairs"]


def test_a_find_is_no_run_and_a_broken_claim_ends_a_check(toy_corpus, monkeypatch):
    find = Find.create(FindSettings(corpus=toy_corpus.fingerprint))
    with pytest.raises(EmbedlabError, match=rf"{find.id} is a Find, not a run. See it with: .* find show {find.id}$"):
        listing.opened(find.id)
    claim = SimpleNamespace(claim="a > b", left=1.0, right=2.0, holds=False, sentence="The claim does not hold.")
    sources = SimpleNamespace(loaded=lambda _: (None, {}))
    monkeypatch.setattr(learning, "find_lesson", lambda _: SimpleNamespace(key="k", version=1, steps=()))
    monkeypatch.setattr(learning, "export_lesson", lambda *_, **named: SimpleNamespace(claims=[claim]))
    with pytest.raises(EmbedlabError, match="The claim does not hold."):
        learning.check(None, "k", by=sources)
    claim.holds = True
    assert learning.check(None, "k", by=sources).code == 0
