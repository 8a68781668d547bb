"""The hub and the catalog against a stand-in on this machine: pinned commits, our own readers, no way out."""

import gzip
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from stand_in_hub import COMMIT, hub_of, serving

import embedlab.hub
from embedlab.corpora import catalog as catalog_module
from embedlab.corpora import hub, load_corpus
from embedlab.corpora.catalog import CATALOG
from embedlab.corpora.formats.folders import choose_files, group_of, split_of
from embedlab.corpora.hub import HubPart, dataset_reference, parse_reference
from embedlab.corpora.proposal import Reading
from embedlab.corpora.sets.pairs import read_pairs
from embedlab.corpora.sets.reading import read_set
from embedlab.errors import CorpusError, NetworkError
from embedlab.hub import HubFile
from embedlab.jobs.requests.corpora import FetchTable
from embedlab.progress import silent
from embedlab.registry import Registry
from embedlab.runs.store import create_run
from embedlab.store_root import read_json
from embedlab.tasks.fetch import fetch_table


def parquet(**columns) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


@pytest.fixture
def stand_in(store, monkeypatch) -> Iterator[SimpleNamespace]:
    """What the hub holds, what it was asked, and where it is."""
    hub = SimpleNamespace(repositories={}, asked=[])
    with hub_of(serving(hub.repositories, hub.asked), monkeypatch) as hub.address:
        yield hub


def test_a_data_set_is_read_at_its_commit_and_opened_from_the_store_next_time(stand_in):
    stand_in.repositories["someone/boats"] = {
        "README.md": b"# Boats",
        "data/train-00000-of-00002.parquet": parquet(text=["a first text", "a second text"], label=[0, 1]),
        "data/train-00001-of-00002.parquet": parquet(text=["a third text"], label=[1]),
        "data/test-00000-of-00001.parquet": parquet(text=["not read"], label=[1]),
    }
    steps = []
    corpus = load_corpus("hf:someone/boats", progress=lambda *step: steps.append(step))
    assert corpus.texts == ["a first text", "a second text", "a third text"]
    assert corpus.labels.tolist() == ["0", "1", "1"]
    assert corpus.info.source == f"hf:someone/boats@{COMMIT}"
    said = next(note.message for note in corpus.info.notes if note.code == "I-FILES")
    assert "Not read: test" in said
    assert any(
        "Downloading" in stage and total > 0 and done == total
        for stage, done, total in (s for s in steps if len(s) == 3)
    )
    asked = len(stand_in.asked)
    assert load_corpus("hf:someone/boats").fingerprint == corpus.fingerprint
    assert len(stand_in.asked) == asked


def nested(*sets: tuple[list, list]) -> bytes:
    lines = (json.dumps({"sentences": texts, "labels": labels}) for texts, labels in sets)
    return gzip.compress("\n".join(lines).encode())


def test_the_nested_layout_of_mteb_is_flattened_and_copies_left_out(stand_in, monkeypatch):
    name = "mteb/biorxiv-clustering-p2p"
    stand_in.repositories[name] = {
        "README.md": b"",
        "test.jsonl.gz": nested(
            (["one cell", "two cells"], ["zoology", "ecology"]), (["two cells", "three"], ["ecology", "x"])
        ),
    }
    corpus = load_corpus("biorxiv")
    assert corpus.texts == ["one cell", "two cells", "three"]
    assert corpus.labels.tolist() == ["zoology", "ecology", "x"]
    assert corpus.column("set") == [1, 1, 2]
    assert (corpus.name, corpus.info.licence) == ("biorxiv", CATALOG["biorxiv"].licence)
    assert f"/api/datasets/{name}/revision/{CATALOG['biorxiv'].revision}" in stand_in.asked[0]
    assert "2 sets with 4 texts" in next(note.message for note in corpus.info.notes if note.code == "I-SETS")


def test_a_set_with_more_texts_than_labels_is_refused(stand_in):
    stand_in.repositories["mteb/medrxiv-clustering-p2p"] = {"test.jsonl.gz": nested((["one", "two"], ["a"]))}
    with pytest.raises(CorpusError, match="Set 1"):
        load_corpus("medrxiv")


def test_a_catalog_corpus_from_a_plain_address(stand_in, monkeypatch):
    content = parquet(abstract=["an abstract here", "another one here"], labels=["GANs", "unlabeled"], title=["A", "B"])
    stand_in.repositories["any/thing"] = {"iclr.parquet": content}
    here = f"{stand_in.address}/datasets/any/thing/resolve/{COMMIT}/iclr.parquet"
    entries = [entry.model_copy(update={"url": here}) if entry.key == "iclr" else entry for entry in CATALOG]
    monkeypatch.setattr(catalog_module, "CATALOG", Registry("corpus", entries))
    corpus = load_corpus("iclr")
    assert corpus.labels.tolist() == ["GANs", None]
    assert corpus.info.roles == {"text": "abstract", "label": "labels", "title": "title", "summaries": None}


def test_hostile_names_and_cards_open_nothing(stand_in, tmp_path):
    stand_in.repositories["someone/evil"] = {
        "README.md": b"---\nconfigs:\n- data_files: /etc/passwd\n---",
        "../../outside.csv": b"text,label\nx,y\n",
        "/etc/passwd.csv": b"text,label\nx,y\n",
        "C:\\x.csv": b"text,label\nx,y\n",
        ".hidden/a.csv": b"text,label\nx,y\n",
        "run.py": b"raise SystemExit",
        "weights.pkl": b"\x80\x04",
    }
    with pytest.raises(CorpusError) as raised:
        load_corpus("hf:someone/evil")
    assert raised.value.code == "E-NOT-A-TABLE"
    assert len(stand_in.asked) == 1  # the list of files, and none of them


def test_a_file_over_the_limit_is_refused_before_the_download_and_cut_where_no_size_is_known(
    stand_in, monkeypatch, tmp_path
):
    stand_in.repositories["someone/large"] = {"rows.csv": b"text\n" + 4 * b"a text\n"}  # 33 bytes
    for module in (hub, embedlab.hub):
        monkeypatch.setattr(module, "LIMITS", replace(embedlab.hub.LIMITS, archive_bytes=32))
    with pytest.raises(CorpusError) as raised:
        load_corpus("hf:someone/large")
    assert raised.value.code == "E-TOO-BIG" and len(stand_in.asked) == 1
    with pytest.raises(CorpusError, match="rows.csv is larger") as raised:
        embedlab.hub.download(
            f"{stand_in.address}/datasets/someone/large/resolve/{COMMIT}/rows.csv", tmp_path / "rows", lambda *_: None
        )
    assert raised.value.code == "E-TOO-BIG" and not (tmp_path / "rows").read_bytes()


def test_a_data_set_that_does_not_exist(stand_in):
    with pytest.raises(CorpusError, match="no public data set 'someone/nothing'") as raised:
        load_corpus("hf:someone/nothing")
    assert raised.value.code == "E-DATASET-ID"


def test_without_a_network_one_sentence(store, monkeypatch):
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # the discard port: nobody answers
    with pytest.raises(NetworkError) as raised:
        load_corpus("hf:someone/boats")
    assert raised.value.code == "E-NO-NETWORK"


@pytest.mark.parametrize("reference", ["hf:someone/boats", "iclr", "arxiv", "20newsgroups"])
def test_an_offline_process_does_not_try(store, monkeypatch, reference):
    def never(*_, **__):
        pytest.fail("it tried")

    monkeypatch.setattr("socket.create_connection", never)
    monkeypatch.setattr("sklearn.datasets.fetch_20newsgroups", never)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(NetworkError) as raised:
        load_corpus(reference)
    assert raised.value.code == "E-NO-NETWORK"


ODD_IDS = [
    "http://x/y",
    "../x",
    "//host/x",
    "C:\\x",
    "a/b/c",
    "a",
    "a/..",
    "a/b..c",
    "a/b--c",
    "a/b.git",
    "a b/c",
    "a/b@../x",
    "a/b@",
    "",
    "/a/b",
]


@pytest.mark.parametrize("name", ODD_IDS)
def test_what_is_no_id_is_refused(store, name):
    with pytest.raises(CorpusError) as raised:
        load_corpus(f"hf:{name}")
    assert raised.value.code == "E-DATASET-ID"


def test_ids_and_revisions():
    assert parse_reference("hf:mteb/a-b_c.d") == HubPart("mteb/a-b_c.d")
    assert parse_reference(f"hf:a/b@{COMMIT}") == HubPart("a/b", COMMIT)
    assert parse_reference("hf:a/b@refs/convert/parquet") == HubPart("a/b", "refs/convert/parquet")
    assert parse_reference("hf:a/b@v1:pair:dev") == HubPart("a/b", "v1", "pair", "dev")
    assert parse_reference("hf:a/b::test") == HubPart("a/b", split="test")


@pytest.mark.parametrize(
    ("path", "split", "group"),
    [
        ("data/train-00000-of-00001.parquet", "train", ""),
        ("en/test.jsonl.gz", "test", "en"),
        ("train/part-0.csv", "train", ""),
        ("validation.csv", "validation", ""),
        ("contest.csv", "", ""),
    ],
)
def test_what_a_path_says(path, split, group):
    file = HubFile(path, 0)
    assert (split_of(file), group_of(file)) == (split, group)


def test_one_configuration_is_chosen_and_the_others_are_named():
    files = [HubFile(f"{group}/train.parquet", 1) for group in ("fr", "de")] + [HubFile("de/train.csv", 1)]
    chosen, said = choose_files(files, "a/b")
    assert [file.path for file in chosen] == ["de/train.parquet"]
    assert "Not read: fr" in said


def test_files_are_read_by_their_numbers():
    chosen, _ = choose_files([HubFile(f"train/part-{number}.csv", 1) for number in (10, 9, 1)], "a/b")
    assert [file.path for file in chosen] == ["train/part-1.csv", "train/part-9.csv", "train/part-10.csv"]


def test_the_catalog_is_what_the_installed_mteb_says():
    mteb = pytest.importorskip("mteb")
    for entry in CATALOG:
        if entry.mteb_task is None:
            continue
        metadata = mteb.get_task(entry.mteb_task).metadata
        assert entry.url.endswith(metadata.dataset["path"])
        assert entry.revision == metadata.dataset["revision"]
        assert entry.licence == str(metadata.license)
        statistics = metadata.descriptive_stats["test"]
        assert entry.texts == statistics["text_statistics"]["unique_texts"]
        assert entry.classes == statistics["label_statistics"]["unique_labels"]


def test_every_catalog_entry_introduces_itself():
    for entry in CATALOG:
        assert entry.title and entry.licence and entry.paper.startswith("https://") and entry.url.startswith("https://")


@pytest.mark.parametrize(
    ("reference", "code", "said"),
    [
        ("dosc", "E-UNKNOWN-CORPUS", "Did you mean 'docs'"),
        ("no/such/file.csv", "E-PATH", "no file or folder"),
        ("0123456789abcdef", "E-UNKNOWN-CORPUS", "fingerprint 0123456789abcdef is not stored here: it was deleted"),
        ("a" * 5_000, "E-UNKNOWN-CORPUS", "hf:owner/name"),
        ("a\0b", "E-UNKNOWN-CORPUS", "hf:owner/name"),
    ],
)
def test_what_is_no_corpus_is_answered_with_the_choices(store, reference, code, said):
    with pytest.raises(CorpusError, match=said) as raised:
        load_corpus(reference)
    assert raised.value.code == code


def test_a_fingerprint_opens_the_stored_corpus(toy_corpus):
    assert load_corpus(toy_corpus.fingerprint).texts == toy_corpus.texts


def test_newsgroups_go_through_scikit_learn(store, monkeypatch):
    def fetch(*, subset, remove, **_):
        assert (subset, remove) == ("all", ("headers", "footers", "quotes"))
        names = ["/t/20news_home/20news-bydate-train/sci.space/1", "/t/20news_home/20news-bydate-test/rec.autos/2"]
        return SimpleNamespace(
            data=["To the moon.", ""], target=[1, 0], target_names=["rec.autos", "sci.space"], filenames=names
        )

    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr("sklearn.datasets.fetch_20newsgroups", fetch)
    corpus = load_corpus("20newsgroups")
    assert corpus.labels.tolist() == ["sci.space", "rec.autos"]
    assert corpus.column("split") == ["train", "test"]
    assert corpus.excluded.tolist() == [False, True]


def test_columns_that_the_user_names_win_over_the_proposal(stand_in):
    stand_in.repositories["someone/two"] = {
        "a.csv": b"text,other,label\nlong text here,short one,x\nmore text here,it is,y\n"
    }
    assert load_corpus("hf:someone/two", Reading(text="other")).texts == ["short one", "it is"]
    assert hub.HubSource().is_stored("hf:someone/two", Reading(text="other"))
    assert not hub.HubSource().is_stored("hf:someone/two", Reading())


def test_a_configuration_and_a_split_are_read_and_absent_ones_are_named(stand_in):
    files = {f"{group}/{split}.csv": f"text,label\n{group} {split} one,0\n{group} {split} two,1\n".encode()
             for group in ("de", "fr") for split in ("train", "test")}  # fmt: skip
    stand_in.repositories["someone/boats"] = files
    assert load_corpus("hf:someone/boats:fr:test").texts == ["fr test one", "fr test two"]
    assert load_corpus("hf:someone/boats").texts == ["de train one", "de train two"]
    for reference, code, said in (
        ("hf:someone/boats:it", "E-CONFIGURATION", "no configuration 'it'. Choose from: de, fr"),
        ("hf:someone/boats:fr:dev", "E-SPLIT", "no split 'validation'. Choose from: test, train"),
        ("hf:someone/boats:fr:test:x", "E-DATASET-ID", "hf:owner/name:configuration:split"),
    ):
        with pytest.raises(CorpusError) as caught:
            load_corpus(reference)
        assert caught.value.code == code and said in caught.value.message, caught.value.message


@pytest.mark.parametrize(
    ("written", "reference"),
    [
        ("owner/name", "hf:owner/name"),
        ("owner/name@v1.0:fr:test", "hf:owner/name@v1.0:fr:test"),
        ("https://huggingface.co/datasets/owner/name", "hf:owner/name"),
        ("hf.co/datasets/owner/name/tree/refs-1", "hf:owner/name@refs-1"),
        ("https://huggingface.co/datasets/owner/name/viewer/fr/test?row=3", "hf:owner/name:fr:test"),
        ("https://huggingface.co/datasets/owner/name/viewer/", "hf:owner/name"),
        ("https://huggingface.co/owner/name", "https://huggingface.co/owner/name"),
        ("https://huggingface.co/datasets/o/n/blob/main/a.csv", "https://huggingface.co/datasets/o/n/blob/main/a.csv"),
        ("data/texts.csv", "data/texts.csv"),
        ("data/texts.csv:fr", "data/texts.csv:fr"),
        ("a/b/c", "a/b/c"),
        ("docs", "docs"),
    ],
)
def test_an_address_and_a_bare_name_of_a_data_set_mean_the_hub(written, reference):
    assert dataset_reference(written) == reference == dataset_reference(reference)


def test_a_folder_called_as_a_data_set_is_the_folder(tmp_path, monkeypatch):
    (tmp_path / "owner" / "name").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert dataset_reference("owner/name") == "owner/name" and parse_reference("hf:owner/name").dataset == "owner/name"


def test_pairs_and_sets_of_the_hub_are_tables_of_one_split(stand_in):
    pairs = {"anchor": [f"question {row}" for row in range(4)], "positive": [f"answer {row}" for row in range(4)]}
    scored = {"sentence1": ["a", "b", "c"], "sentence2": ["d", "e", "f"], "score": [0.0, 2.5, 5.0]}
    longer = {name: [*values, values[0]] for name, values in scored.items()}
    stand_in.repositories["someone/qa"] = {
        "pair/train-00000-of-00001.parquet": parquet(**pairs),
        "sts/train.parquet": parquet(**longer),
        "sts/test.parquet": parquet(**scored),
    }

    def table(reference: str, *usual: str) -> str:
        folder = create_run("fetch_table", FetchTable(reference=reference, usual=usual).stored)
        fetch_table(folder, FetchTable(reference=reference, usual=usual), silent)
        return read_json(folder.result)["path"]

    given = read_pairs(table("someone/qa", "train"))
    assert given.pairs == [list(row) for row in zip(*pairs.values(), strict=True)] and given.info.name == "qa"
    measured = read_set(table("hf:someone/qa:sts", "test"))  # of a set the test split comes first
    assert measured.info.counts == {"pairs": 3} and measured.info.name == "qa-sts"
    assert read_set(table("hf:someone/qa:sts:train")).info.counts == {"pairs": 4}
