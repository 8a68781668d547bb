"""A hub on this machine: pinned commits, allow-listed files, conversions, and life without a network."""

import hashlib
import json
import os
import shutil
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote

import pytest
import torch
from stand_in_hub import hub_of

from embedlab.encoder_catalog.names import canonical
from embedlab.encoders import hub
from embedlab.encoders.embed import embed
from embedlab.encoders.folder_files import no_weights
from embedlab.encoders.load import load_encoder
from embedlab.errors import EncoderError, NetworkError, UserError
from embedlab.jobs.runner import submit, wait
from embedlab.runs.state import State
from embedlab.runs.store import list_runs, stored_request
from embedlab.store_root import ROOM_MARK, read_json, store_root
from embedlab.training.settings import RunSettings

MAIN, MOVED, CONVERTED = "a" * 40, "b" * 40, "c" * 40


class FakeHub:
    """Repositories as folders per commit: ``revisions`` names commits, ``folders`` holds them."""

    def __init__(self):
        self.revisions: dict[str, str] = {"main": MAIN}
        self.folders: dict[str, Path] = {}
        self.extra_names: list[str] = []  # listed by the hub, though no such file may ever be written
        self.offers: list[dict] = []
        self.requests: list[str] = []
        self.wrong_bytes = False

    def answer(self, path: str) -> tuple[int, bytes]:
        self.requests.append(path)
        parts = path.split("?")[0].strip("/").split("/")
        if parts[:3] == ["api", "models", "owner"] and parts[3] == "name":
            return self._api(parts[4:])
        if parts[:3] == ["owner", "name", "resolve"]:
            content = (self.folders[parts[3]] / "/".join(parts[4:])).read_bytes()
            return 200, content[::-1] if self.wrong_bytes and path.endswith(".safetensors") else content
        return 404, b'{"error": "Repository not found"}'

    def _api(self, parts: list[str]) -> tuple[int, bytes]:
        if parts[0] == "discussions":
            return 200, json.dumps({"discussions": self.offers, "count": len(self.offers), "start": 0}).encode()
        revision = unquote(parts[1])
        commit = self.revisions.get(revision, revision)
        if commit not in self.folders:
            return 404, b"RevisionNotFound"
        listed = [self._entry(commit, file) for file in self.folders[commit].rglob("*") if file.is_file()]
        listed += [{"rfilename": name, "size": 1} for name in self.extra_names]
        return 200, json.dumps({"id": "owner/name", "sha": commit, "siblings": listed}).encode()

    def _entry(self, commit: str, file: Path) -> dict:
        entry = {"rfilename": file.relative_to(self.folders[commit]).as_posix(), "size": file.stat().st_size}
        if file.suffix in {".safetensors", ".bin"}:
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            entry["lfs"] = {"sha256": digest, "size": entry["size"], "pointerSize": 100}
        return entry


@pytest.fixture
def fake_hub(monkeypatch, store, tmp_path, tiny_bert):
    """The hub, serving a tiny encoder on main."""
    fake = FakeHub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            status, content = fake.answer(self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Content-Type", "application/json")
            if status == 404:
                self.send_header("X-Error-Code", content.decode() if content.isalpha() else "RepoNotFound")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    tiny_bert(pooling="cls").save(tmp_path / "main")
    fake.folders[MAIN] = tmp_path / "main"
    with hub_of(Handler, monkeypatch):
        yield fake


def test_an_encoder_is_downloaded_once_at_a_commit_and_then_offline(fake_hub, store, sentences, monkeypatch):
    said = []
    encoder = load_encoder("hf:owner/name", progress=lambda *words: said.append(words))
    assert (encoder.pooling, encoder.max_length) == ("cls", 32)
    expected = load_encoder(str(fake_hub.folders[MAIN]))
    assert abs(embed(encoder, sentences) - embed(expected, sentences)).max() == 0
    folder = store / "encoders" / f"owner--name@{MAIN}"
    facts = json.loads((folder / "embedlab.json").read_text(encoding="utf-8"))
    weights = (folder / "model.safetensors").read_bytes()
    assert facts["commit"] == MAIN and facts["sha256"]["model.safetensors"] == hashlib.sha256(weights).hexdigest()
    assert any(
        stage.startswith("Downloading owner/name") and 0 < done <= total
        for stage, done, total in (w for w in said if len(w) == 3)
    )

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    asked = len(fake_hub.requests)
    assert load_encoder("hf:owner/name").weights_hash() == encoder.weights_hash()
    assert len(fake_hub.requests) == asked


def test_a_name_that_moves_on_the_hub_changes_nothing_here(fake_hub, tmp_path, tiny_bert):
    before = load_encoder("hf:owner/name").weights_hash()
    tiny_bert(seed=9).save(tmp_path / "moved")
    fake_hub.folders[MOVED] = tmp_path / "moved"
    fake_hub.revisions["main"] = MOVED
    assert load_encoder("hf:owner/name").weights_hash() == before
    assert load_encoder(f"hf:owner/name@{MOVED}").weights_hash() != before
    assert load_encoder(f"hf:owner/name@{MAIN}").weights_hash() == before


def test_only_listed_kinds_of_files_are_taken(fake_hub, store):
    main = fake_hub.folders[MAIN]
    for name in ("modeling_evil.py", "pytorch_model.bin", "training_args.bin", "onnx/model.onnx", "run.sh"):
        (main / name).parent.mkdir(exist_ok=True)
        (main / name).write_bytes(b"evil")
    fake_hub.extra_names = [
        "../evil.safetensors",
        "/abs/config.json",
        "..\\config.json",
        "C:\\config.json",
        "1_Pooling/../../config.json",
        "config.json\n",
        "1_Pooling/evil.py",
    ]
    load_encoder("hf:owner/name")
    taken = {
        path.relative_to(store).parts[2:]
        for path in store.rglob("*")
        if path.is_file() and path.name not in (".store-id", ROOM_MARK)
    }
    assert {name[-1] for name in taken} == {
        "config.json",
        "config_sentence_transformers.json",
        "embedlab.json",
        "model.safetensors",
        "modules.json",
        "sentence_bert_config.json",
        "special_tokens_map.json",
        "tokenizer.json",
        "tokenizer_config.json",
    }
    assert not [path for path in store.parent.iterdir() if path.name.startswith("evil")]


def offer(number: int, author: str) -> dict:
    """One pull request as the hub lists it."""
    return {
        "num": number,
        "author": {"name": author},
        "title": "Adding `safetensors` variant of this model",
        "status": "open",
        "createdAt": "2023-08-25T12:00:00.000Z",
        "isPullRequest": True,
        "repo": {"name": "owner/name", "type": "model"},
    }


@pytest.fixture
def pickled_main(fake_hub, tmp_path, tiny_bert):
    """main has pickled weights only; pull request 4 is the converter's."""
    tiny_bert(seed=3).save(tmp_path / "converted")
    fake_hub.folders[CONVERTED] = tmp_path / "converted"
    fake_hub.revisions["refs/pr/4"] = CONVERTED
    (fake_hub.folders[MAIN] / "model.safetensors").unlink()
    torch.save({}, fake_hub.folders[MAIN] / "pytorch_model.bin")
    return fake_hub


def test_the_converters_pull_request_is_taken_at_its_commit(pickled_main, store, tiny_bert):
    pickled_main.offers = [offer(2, "stranger"), offer(4, "SFconvertbot")]
    pickled_main.revisions["refs/pr/2"] = MOVED
    assert load_encoder("hf:owner/name").weights_hash() == tiny_bert(seed=3).weights_hash()
    facts = json.loads((store / "encoders" / f"owner--name@{CONVERTED}" / "embedlab.json").read_text(encoding="utf-8"))
    assert (facts["commit"], facts["converted_from"]) == (CONVERTED, MAIN)


def test_what_it_is_comes_before_what_its_weights_are(pickled_main, store):
    """As sentence-transformers/clip-ViT-B-32 is laid out, and jina-embeddings-v2-base-code."""
    modules = [{"idx": 0, "name": "0", "path": "0_CLIPModel", "type": "sentence_transformers.models.CLIPModel"}]
    (pickled_main.folders[MAIN] / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    with pytest.raises(EncoderError, match="text-and-image"):
        load_encoder("hf:owner/name")
    (pickled_main.folders[MAIN] / "modules.json").unlink()
    set_config(pickled_main.folders[MAIN], model_type="new", auto_map={"AutoModel": "modeling.Evil"})
    with pytest.raises(EncoderError, match="trust_remote_code"):
        load_encoder("hf:owner/name")
    assert not [path for path in store.rglob("*") if path.name == "config.json"]


def test_pickled_weights_without_a_conversion_are_one_sentence(pickled_main, store):
    pickled_main.offers = [offer(4, "stranger")]
    with pytest.raises(EncoderError, match="pickled weights only") as caught:
        load_encoder("hf:owner/name")
    assert caught.value.code == "E-NOT-SAFETENSORS" and not list(store.rglob("*.bin"))


def test_bytes_other_than_promised_leave_nothing_behind(fake_hub, store):
    fake_hub.wrong_bytes = True
    with pytest.raises(NetworkError, match="Try again"):
        load_encoder("hf:owner/name")
    assert not list((store / "encoders").glob("[!.]*"))


def test_no_network_is_said_with_what_to_do(fake_hub, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(NetworkError, match="Connect and fetch it once") as caught:
        load_encoder("hf:owner/name")
    assert caught.value.code == "E-NO-NETWORK" and not fake_hub.requests
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # nothing listens on the discard port
    with pytest.raises(NetworkError) as caught:
        load_encoder("hf:owner/name")
    assert caught.value.code == "E-NO-NETWORK"


def test_an_unknown_repository_is_named(fake_hub):
    with pytest.raises(EncoderError, match="hf:owner/absent") as caught:
        load_encoder("hf:owner/absent")
    assert caught.value.code == "E-UNKNOWN-ENCODER"


def test_an_encoder_beyond_the_limit_is_refused_before_the_download(fake_hub, monkeypatch):
    monkeypatch.setattr(type(hub.LIMITS), "encoder_parameters", 10)
    with pytest.raises(EncoderError) as caught:
        load_encoder("hf:owner/name")
    assert caught.value.code == "E-MODEL-SIZE" and not weights_asked(fake_hub)


def weights_asked(hub: FakeHub) -> list[str]:
    """The weights that were asked for."""
    return [path for path in hub.requests if "resolve" in path and path.endswith(".safetensors")]


def set_config(folder: Path, name: str = "config.json", **values) -> None:
    file = folder / name
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    file.write_text(json.dumps(known | values), encoding="utf-8")


def without(folder: Path, *names: str, **added: bytes) -> None:
    """Take files away, and put others there: ``onnx__model_onnx`` is onnx/model.onnx."""
    for name in names:
        (folder / name).unlink()
    for name, content in added.items():
        file = folder / name.replace("__", "/").replace("_", ".")
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)


BASE = {"base_model_name_or_path": "owner/base", "peft_type": "LORA"}
UNREADABLE = {
    "E-REMOTE-CODE": (
        lambda at: set_config(at, model_type="new", auto_map={"AutoModel": "modeling.Evil"}),
        "trust_remote_code",
    ),
    "E-CONFIG": (lambda at: set_config(at, model_type="mamba"), "'mamba'"),
    "E-NOT-TEXT": (lambda at: set_config(at, vision_config={"hidden_size": 8}), "text-and-image"),
    "E-ADAPTER": (
        lambda at: (
            set_config(at, "adapter_config.json", **BASE),
            without(at, "config.json", "model.safetensors", adapter__weights_safetensors=b"x"),
        ),
        "its base is owner/base",
    ),
    "E-ONNX-ONLY": (lambda at: without(at, "model.safetensors", onnx__model_onnx=b"x"), "ONNX files only"),
    "E-GGUF-ONLY": (lambda at: without(at, "model.safetensors", model_gguf=b"x"), "GGUF"),
    "E-NOT-SAFETENSORS": (lambda at: without(at, "model.safetensors"), "no weights at all"),
    "E-EXPERTS": (lambda at: set_config(at, model_type="nomic_bert", num_experts=8), "8 experts"),
}


@pytest.mark.parametrize("code", UNREADABLE)
def test_what_cannot_be_read_is_told_before_its_weights_are_fetched(fake_hub, store, code):
    spoil, says = UNREADABLE[code]
    spoil(fake_hub.folders[MAIN])
    with pytest.raises(EncoderError, match=says) as caught:
        load_encoder("hf:owner/name")
    assert caught.value.code == code and not weights_asked(fake_hub)
    assert not (store / "encoders").exists() or not list((store / "encoders").glob("[!.]*"))


@pytest.mark.parametrize("code", UNREADABLE)
def test_a_folder_on_this_machine_gets_the_same_sentence(fake_hub, store, code):
    folder = fake_hub.folders[MAIN]
    UNREADABLE[code][0](folder)
    sentences = []
    for reference in ("hf:owner/name", str(folder)):
        with pytest.raises(EncoderError) as caught:
            load_encoder(reference)
        assert caught.value.code == code
        sentences.append(str(caught.value).replace("hf:owner/name", folder.name))
    assert sentences[0] == sentences[1] or code == "E-ADAPTER"  # of which a folder's base is looked for here
    assert UNREADABLE[code][1] in sentences[1]


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"pytorch_model.bin", "onnx/model.onnx"}, "pickled weights only (pytorch_model.bin)"),
        ({"tf_model.h5"}, "other formats than safetensors only (tf_model.h5)"),
        ({"training_args.bin", "openvino/openvino_model.bin", "onnx/model.onnx"}, "ONNX files only"),
        ({"openvino/openvino_model.bin", "openvino/openvino_model.xml"}, "OpenVINO files only"),
        ({"consolidated.safetensors", "params.json"}, "other names than model.safetensors only (consolidated"),
        ({"training_args.bin", "config.json"}, "no weights at all"),
    ],
)
def test_what_is_there_in_place_of_weights_is_named(files, says):
    assert says in str(no_weights("owner/name", files))


def test_what_gives_no_tokenizer_is_told_before_the_weights_are_fetched(fake_hub, monkeypatch):
    without(fake_hub.folders[MAIN], "tokenizer.json")
    with pytest.raises(EncoderError, match="hf:owner/name has none"):
        load_encoder("hf:owner/name")
    monkeypatch.setattr("embedlab.encoders.tokenizer_files.find_spec", lambda name: None)
    without(fake_hub.folders[MAIN], spm_model=b"pieces")
    with pytest.raises(EncoderError, match="pip install sentencepiece"):
        load_encoder("hf:owner/name")
    assert not weights_asked(fake_hub)


def test_a_module_of_code_of_its_own_is_told_too(fake_hub):
    modules = [{"idx": 0, "name": "0", "path": "", "type": "custom_st.Transformer"}]
    (fake_hub.folders[MAIN] / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    with pytest.raises(EncoderError) as caught:
        load_encoder("owner/name")
    assert caught.value.code == "E-REMOTE-CODE"


def test_a_missing_revision_is_not_a_missing_encoder(fake_hub):
    with pytest.raises(UserError, match="no branch, tag or commit 'v9'") as caught:
        load_encoder("hf:owner/name@v9")
    assert caught.value.code == "E-REVISION"


@pytest.mark.parametrize(
    ("written", "reference"),
    [
        ("owner/name", "hf:owner/name"),
        ("owner/name@v1", "hf:owner/name@v1"),
        ("https://huggingface.co/owner/name", "hf:owner/name"),
        ("huggingface.co/owner/name/", "hf:owner/name"),
        ("https://huggingface.co/owner/name/tree/refs-1", "hf:owner/name@refs-1"),
        ("https://hf.co/owner/name/blob/main/config.json?x=1", "hf:owner/name@main"),
        ("https://huggingface.co/datasets/owner/name", "https://huggingface.co/datasets/owner/name"),
        ("https://example.com/owner/name", "https://example.com/owner/name"),
        ("./owner/name", "./owner/name"),
        ("a/b/c", "a/b/c"),
        ("minilm", "minilm"),
        ("run:0abc", "run:0abc"),
        ("scratch:bert-mini", "scratch:bert-mini"),
    ],
)
def test_an_address_and_a_bare_name_mean_the_hub(written, reference):
    assert canonical(written) == reference == canonical(reference)


def test_a_folder_of_that_name_is_the_folder(tmp_path, monkeypatch):
    (tmp_path / "owner" / "name").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert canonical("owner/name") == "owner/name"


@pytest.mark.parametrize("reference", ["owner/name", f"hf:owner/name@{MAIN}", "hf:owner/name@v1"])
def test_what_other_libraries_fetched_is_used_offline(fake_hub, tmp_path, monkeypatch, sentences, reference):
    repository = tmp_path / "hub" / "models--owner--name"
    (repository / "refs").mkdir(parents=True)
    for revision in ("main", "v1"):
        (repository / "refs" / revision).write_text(MAIN, encoding="ascii")
    shutil.copytree(fake_hub.folders[MAIN], repository / "snapshots" / MAIN)
    (repository / "blobs").mkdir()
    for number, file in enumerate(filter(Path.is_file, (repository / "snapshots").rglob("*"))):
        blob = file.rename(repository / "blobs" / f"{number:040x}")
        file.symlink_to(os.path.relpath(blob, file.parent))
    (repository / "snapshots" / MAIN / "modeling_evil.py").write_text("evil", encoding="utf-8")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    encoder = load_encoder(reference)
    assert encoder.pooling == "cls" and not fake_hub.requests
    assert encoder.weights_hash() == load_encoder(str(fake_hub.folders[MAIN])).weights_hash()
    assert not list((store_root() / "encoders").rglob("*.py"))


def test_half_of_a_cached_encoder_is_none(fake_hub, tmp_path, monkeypatch):
    half = tmp_path / "hub" / "models--owner--name" / "snapshots" / MAIN
    half.mkdir(parents=True)
    shutil.copy(fake_hub.folders[MAIN] / "config.json", half)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    assert load_encoder(f"hf:owner/name@{MAIN}").pooling == "cls" and fake_hub.requests


def test_a_name_is_brought_up_to_date_when_that_is_asked(fake_hub, tmp_path, tiny_bert):
    before = load_encoder("hf:owner/name").weights_hash()
    assert hub.update_encoder("owner/name") == (hub.stored(hub.hub_name("owner/name")), MAIN)
    assert len(weights_asked(fake_hub)) == 1, "the same commit is not fetched twice"
    tiny_bert(seed=9).save(tmp_path / "moved")
    fake_hub.folders[MOVED] = tmp_path / "moved"
    fake_hub.revisions["main"] = MOVED
    folder, old = hub.update_encoder("owner/name")
    assert old == MAIN and folder.name.endswith(MOVED)
    assert load_encoder("hf:owner/name").weights_hash() != before
    assert load_encoder(f"hf:owner/name@{MAIN}").weights_hash() == before


@pytest.mark.parametrize(
    "name",
    ["http://evil/x", "../x/y", "//host/x", "C:\\x", "owner", "a/b/c", "a/..", "owner/name@", "a b/c", "a/b@../c d"],
)
def test_only_owner_and_name_are_a_hub_id(store, name):
    with pytest.raises(EncoderError) as caught:
        hub.hub_name(name)
    assert caught.value.code == "E-ENCODER-ID"


@pytest.mark.parametrize(
    "answer", [b"<html>", b"[]", b'{"id": "a", "sha": "main"}', b'{"id": "a", "sha": 7}', b'{"sha": "main"}']
)
def test_an_answer_that_is_none_is_one_sentence(fake_hub, monkeypatch, answer):
    monkeypatch.setattr(fake_hub, "answer", lambda path: (200, answer))
    with pytest.raises(NetworkError) as caught:
        load_encoder("hf:owner/name")
    assert caught.value.code == "E-HUB-ANSWER"


@pytest.mark.slow
def test_a_run_fetches_its_encoder_by_a_worker_that_may_connect(fake_hub, toy_corpus):
    asked = {"corpus": toy_corpus.fingerprint, "encoder": "hf:owner/name", "batch_size": 16, "max_steps": 2}
    folder = submit(RunSettings(**{**asked, "maps": False, "inside": False}))
    facts = wait(folder)
    assert facts.state is State.FINISHED, facts
    assert [stored_request(job).task for job in list_runs("jobs")] == ["fetch_encoder"]
    assert read_json(folder.result)["steps"] == 2 and read_json(folder.result)["pooling"] == "cls"
