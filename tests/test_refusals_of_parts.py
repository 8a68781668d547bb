"""What parts refuse that few users meet, and by which sentence: files, encoders, runs and lessons."""

from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from builders import finished
from filelock import FileLock

from embedlab.benchmarks import scirepeval
from embedlab.cli import comparing, evaluating, studying
from embedlab.comparison.rows import rows_of
from embedlab.corpora.base import Draft, store_corpus
from embedlab.corpora.proposal import Reading, propose_columns
from embedlab.corpora.sets.queries import judgements_of
from embedlab.corpora.sets.reading import read_judgements
from embedlab.corpora.tables import Table
from embedlab.device import Device
from embedlab.encoders.load import updated_encoder
from embedlab.encoders.processes import Processes
from embedlab.encoders.token_prediction import decoder_of
from embedlab.errors import EmbedlabError
from embedlab.finds.model import FindSettings
from embedlab.finds.store import Find, delete_find
from embedlab.jobs.executors import EXECUTORS
from embedlab.jobs.requests.working import RunFind
from embedlab.learn.catalog import LARGEST, keep_lesson
from embedlab.learn.views.charts import Lines
from embedlab.learn.views.run_maps import Four, Replay
from embedlab.progress import silent
from embedlab.runs.selections import open_selection
from embedlab.runs.store import create_run, create_run_at
from embedlab.store_root import store_root
from embedlab.tasks.find import job as find_job
from embedlab.tasks.measure.diagnose import pairs_of_set
from embedlab.tasks.measure.subjects import TextSubject
from embedlab.tasks.mining import matching
from embedlab.training.batches import Batches
from embedlab.training.preparation import rank_judge_of
from embedlab.vectors.opened import open_vectors
from embedlab.worker import work


def namespace(**facts):
    return SimpleNamespace(**facts)


def table(name="t.csv", **columns):
    return Table(pa.table(columns), name)


def parquet(folder, **columns):
    file = folder / "x.parquet"
    pq.write_table(pa.table(columns), file)
    return file


def opened(file):
    return open_vectors(str(file))


def processes(count=2):
    several = object.__new__(Processes)  # as if connected
    several.count = count
    return several


def another_corpus():
    return store_corpus(Draft(name="other", source="x", texts=["One text.", "Another one."]))


def find_with_a_candidate(corpus):
    find = Find.create(FindSettings(corpus=corpus.fingerprint))
    create_run_at(find.training("t00", 0).path, "candidate", {"find": find.id, "key": "t00", "rung": 0})
    return find


REFUSED = {
    "a row of no run": (lambda own: rows_of([f"{finished(own.corpus).id}-later"]), "E-ROW", "a measured baseline"),
    "a text column of JSON": (
        lambda own: propose_columns(table(text=['{"a": 1}', '{"a": 2}']), Reading()),
        "E-COLUMN-TYPE",
        "'text' of 't.csv' holds JSON",
    ),
    "judgments without documents": (
        lambda own: judgements_of(table(query=["a"], much=["1"])),
        "E-SET-COLUMNS",
        r"column of document ids \(.*\), but 't.csv' has query, much",
    ),
    "grades that are words": (
        lambda own: judgements_of(table(query=["a", "b"], doc_id=["1", "2"], score=["x", "y"])),
        "E-GRADES",
        r"score of 't.csv' must be numbers, but 2 of 2 rows \(first: 1\)",
    ),
    "a table without judgments": (
        lambda own: read_judgements(str(own.written("a.csv", "one,other\nx,y\n"))),
        "E-SET-COLUMNS",
        "'a.csv' contains no judgments. Expected",
    ),
    "labels that are no lists": (
        lambda own: scirepeval.read_labels(own.dataset(paper_id="a", label="b"), "train", {}, is_multi_label=True),
        "E-SCIREPEVAL-FILE",
        "as a list of 0 and 1 of equal length, but found 'b'",
    ),
    "an update of no hub's encoder": (lambda own: updated_encoder("token"), "E-ENCODER-ID", "but 'token' is none"),
    "processes on MPS": (
        lambda own: processes().require(Device("mps", "GPU", "fp32")),
        "E-PROCESSES",
        "The run has 2 processes, but MPS trains with one",
    ),
    "processes without a GPU each": (
        lambda own: processes().require(Device("cuda", "GPU", "bf16")),
        "E-PROCESSES",
        "this computer has 0 GPUs for 2 processes",
    ),
    "a decoder of rounded weights": (
        lambda own: decoder_of(own.encoder, tied=True),
        "E-DECODER",
        "adapter.base_weights is bf16. Set adapter.base_weights to fp32",
    ),
    "a Find at work elsewhere": (
        lambda own: delete_find(find_with_a_candidate(own.corpus)),
        "E-FIND-BUSY",
        "are still running elsewhere. Stop it first",
    ),
    "lines of nothing": (lambda own: Lines().content(None), "E-LESSON-VIEW", "needs values, or a run and what"),
    "a lesson that is no text": (lambda own: keep_lesson(b"\xff\xfe", "x.md"), "E-LESSON-PATH", "x.md is not UTF-8"),
    "a lesson without end": (lambda own: keep_lesson(b"x" * (LARGEST + 1), "x.md"), "E-LESSON", "the limit is"),
    "a replay of no map": (lambda own: Replay(run="a").content(own.facts), "E-LESSON-MAPS", "has no t-SNE maps of"),
    "a replay of no film": (lambda own: Replay(run="a", show="film").content(own.facts), "E-LESSON-MAPS", "no film"),
    "four maps of none": (
        lambda own: Four(run="a", experiment="seeds").content(own.facts),
        "E-LESSON-LAB",
        "'a' has no four maps of 'seeds'",
    ),
    "a password in a setting": (
        lambda own: create_run("train", {"encoder": "https://me:word@host/x"}),
        "E-SECRET",
        "'encoder' is stored with the run, but holds an address with a password",
    ),
    "a selection that is damaged": (
        lambda own: open_selection(own.damaged_selection()),
        "E-SELECTION",
        "is damaged|cannot be read",
    ),
    "scores of vectors": (lambda own: TextSubject.scores(None, [], []), "E-SCORES", "such as BM25, scores queries"),
    "pairs too unlike to mine": (
        lambda own: matching(namespace(scores=[0.1, 0.2], info=namespace(name="p"))),
        "E-PAIRS",
        "all 2 pairs of 'p' have a score below",
    ),
    "too few summaries": (
        lambda own: rank_judge_of(namespace(judged_by="ranks", seed=0), own.summarised, np.arange(2), "cpu"),
        "E-NO-SUMMARIES",
        "'other' has fewer than ten of them",
    ),
    "a mask that the vocabulary lacks": (
        lambda own: Batches(augmentation=own.augmentation, encoder=own.maskless, batch_size=2, seed=0),
        "E-UNFIT",
        "MLM hides tokens behind a mask token, .* of tiny has none",
    ),
    "vectors of no rows": (
        lambda own: opened(parquet(own.folder, a=pa.array([], pa.list_(pa.float32(), 2)))),
        "E-EMBEDDINGS",
        "Rows are needed, but 'x.parquet' has none",
    ),
    "a first row without a vector": (
        lambda own: opened(parquet(own.folder, a=pa.array([None, [1.0]], pa.list_(pa.float32())))),
        "E-VALUE",
        "Column 'a' of 'x.parquet' .* but row 1 has none",
    ),
    "arrays of which none is named": (
        lambda own: opened(own.npz(a=np.ones((2, 2)), b=np.ones((2, 3)))),
        "E-COLUMN",
        r"has: a float64 \(2, 2\), b float64 \(2, 3\)\. Specify one",
    ),
    "a folder that no machine shares": (
        lambda own: work._work_elsewhere(own.run_without_settings(), "x"),
        "E-STORE",
        "EMBEDLAB_HOME must be a folder that all machines share",
    ),
    "pairs that are none": (
        lambda own: pairs_of_set(namespace(name="q", info=namespace(kind="queries"))),
        "E-NOT-SERVED",
        "'q' has queries. Give sentence1 and sentence2",
    ),
    "untouched on another corpus": (
        lambda own: evaluating._other(
            "untouched", namespace(of=namespace(run=finished(own.corpus).id)), None, another_corpus(), silent
        ),
        "E-COMMAND",
        "Leave --corpus out",
    ),
    "a study that cannot be timed": (
        lambda own: studying._estimate(namespace(kind="seeds"), silent),
        "E-NOT-TIMED",
        "No run of this study could be timed",
    ),
    "ten folds of no labels": (lambda own: comparing._predicted(own.unpredicted, silent), "E-NO-FOLDS", "or none, for"),
    "a cluster that is away": (
        lambda own: own.find("slurm"),
        "E-EXECUTOR",
        "nobody answers. Continue with: .*--on local",
    ),
    "a Find that has a worker": (lambda own: own.find(None, held=True), "E-FIND-BUSY", "is already running"),
}


@pytest.fixture
def own(toy_corpus, tmp_path, monkeypatch):
    """What the lines above need: a corpus, a folder, and ways to make the rest."""

    def written(name, content):
        (tmp_path / name).write_text(content, encoding="utf-8")
        return tmp_path / name

    def npz(**arrays):
        np.savez(tmp_path / "x.npz", **arrays)
        return tmp_path / "x.npz"

    def dataset(**columns):
        pq.write_table(pa.table({name: [value] for name, value in columns.items()}), tmp_path / "train-0.parquet")
        return tmp_path

    def damaged_selection():
        folder = store_root() / "selections"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "0123456789abc.json").write_text("{", encoding="utf-8")
        return "0123456789abc"

    def run_without_settings():
        run = finished(toy_corpus)
        run.settings.unlink()
        return run

    def find(on, *, held=False):
        started = Find.create(FindSettings(corpus=toy_corpus.fingerprint))
        monkeypatch.setattr(EXECUTORS["slurm"], "unreachable", lambda: "nobody answers.")
        request = RunFind(find=started.id, on=on)
        with FileLock(started.lock) if held else nullcontext():
            find_job.run(create_run("find", request.stored), request, silent)

    monkeypatch.setattr(comparing, "done_by_worker", lambda *request: {})
    monkeypatch.setattr("embedlab.studies.expected.to_time", lambda settings: [])
    monkeypatch.setattr("embedlab.studies.expected.expected_study", lambda settings: None)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    monkeypatch.setattr("embedlab.encoders.token_prediction.has_decoder", lambda encoder: True)
    run = finished(toy_corpus)
    encoder = namespace(adapter=namespace(base_weights="bf16"), reference="tiny")
    augmentation = namespace(rows=[0], usable=lambda row: True, mask_is_needed=True, title="MLM")
    vocabulary = namespace(max_length=8, mask_token_id=None, reference="tiny")
    monkeypatch.setattr("embedlab.training.batches.vocabulary_of", lambda encoder, longest: None)
    summarised = namespace(summaries=[["a", "b"], ["c", "d"]], info=namespace(name="other"))
    return namespace(
        corpus=toy_corpus, folder=tmp_path, written=written, npz=npz, damaged_selection=damaged_selection, find=find,
        run_without_settings=run_without_settings, unpredicted=run, facts=namespace(run=lambda name: run),
        encoder=encoder, augmentation=augmentation, maskless=vocabulary, summarised=summarised,
        dataset=dataset,
    )  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_part_cannot_do_is_refused_in_a_sentence(name, own):
    call, code, sentence = REFUSED[name]
    with pytest.raises(EmbedlabError, match=sentence) as refused:
        call(own)
    assert refused.value.code == code
