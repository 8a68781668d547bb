"""Relative paths mean the working directory of the first import, in this process and in every one that it starts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from toy_corpora import toy_texts

from embedlab.config import PathText
from embedlab.encoder_catalog.catalog import EncoderReference, absolute_reference
from embedlab.import_path import PACKAGE_PARENT
from embedlab.jobs.requests.corpora import ReadPairs, ReadSet, Summarise, VectorFile
from embedlab.jobs.requests.measuring import Evaluate, MeasureBenchmark, PairsFile
from embedlab.paths import PATH_LISTS, PATH_VARIABLES, absolute, make_variables_absolute
from embedlab.store_root import store_root
from embedlab.studies.plan import StudySettings
from embedlab.training.settings import RunSettings

TINY = ["--encoder", "token", "--recipe", "sentences", "--set", "max_steps=2", "--set", "vocabulary_size=300"]


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    """A working directory with a sibling, reached through a link."""
    for name in ("real/here", "real/x"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real" / "here")
    monkeypatch.chdir(tmp_path / "link")
    return tmp_path / "real" / "here"


def test_a_relative_path_is_read_once(place, monkeypatch):
    monkeypatch.setenv("HOME", "/home/ada")
    assert absolute("store") == absolute("./store") == str(place / "store")
    assert absolute("../x/store") == str(place.parent / "x" / "store")
    assert absolute("~/store") == "/home/ada/store"
    assert absolute("/a/link") == "/a/link"


def test_two_dots_after_a_link_are_those_of_its_target(place):
    (place / "to-x").symlink_to(place.parent / "x")
    (place.parent / "y").mkdir()
    assert absolute("to-x/../y") == str(place.parent / "y")  # by name alone it would be ``here/y``


def test_absolute_is_a_fixed_point(place):
    for path in ("a", "./a/../b", "../x", "~"):
        assert absolute(absolute(path)) == absolute(path)


@pytest.mark.parametrize("name", PATH_VARIABLES)
def test_every_path_variable_is_made_absolute(place, monkeypatch, name):
    monkeypatch.setenv(name, "folder/file")
    make_variables_absolute()
    assert os.environ[name] == str(place / "folder" / "file")


@pytest.mark.parametrize("name", PATH_LISTS)
def test_every_entry_of_a_list_is_made_absolute(place, monkeypatch, name):
    monkeypatch.setenv(name, os.pathsep.join(["bin", "/usr/bin", "~"]))
    make_variables_absolute()
    assert os.environ[name] == os.pathsep.join([str(place / "bin"), "/usr/bin", str(place / "~")])


def test_a_command_is_found_from_everywhere(place, monkeypatch):
    (place / "worker.sh").touch()
    monkeypatch.setenv("EMBEDLAB_WORKER", "./worker.sh --as-is 'a b' no/file")
    make_variables_absolute()
    assert os.environ["EMBEDLAB_WORKER"] == f"{place}/worker.sh --as-is 'a b' no/file"


def test_what_cannot_be_read_stays_for_its_reader(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    monkeypatch.setenv("EMBEDLAB_HOME", "store")
    monkeypatch.setenv("TMPDIR", "~nosuchuser/tmp")
    make_variables_absolute()
    assert (os.environ["EMBEDLAB_HOME"], os.environ["TMPDIR"]) == ("store", "~nosuchuser/tmp")


def test_a_store_that_is_named_later_is_taken_when_it_is_first_used(place, monkeypatch):
    monkeypatch.setenv("EMBEDLAB_HOME", "later")
    assert store_root() == place / "later"
    monkeypatch.chdir("/")
    assert store_root() == place / "later"


def test_settings_and_requests_hold_absolute_paths(place):
    (place / "encoder").mkdir()
    file, folder = str(place / "a.csv"), str(place / "encoder")
    assert ReadSet(path="a.csv").path == ReadPairs(path="a.csv").path == file
    assert VectorFile(path="a.csv").path == PairsFile(path="a.csv", name="a").path == file
    assert ReadSet(path="a", reading={"documents": "a.csv", "queries": "a.csv"}).reading.documents == file
    assert Evaluate(run="r", words="a.csv").words == MeasureBenchmark(set="useb", folder="a.csv").folder == file
    assert RunSettings(corpus="c", encoder="encoder").encoder == folder
    assert RunSettings(corpus="c", encoder="token:./encoder").encoder == f"token:{folder}"
    ranking = RunSettings(corpus="c", pairs="p", recipe="ranking", encoder="minilm", objective={"guide": "encoder"})
    assert ranking.objective["guide"] == folder
    assert Summarise(corpus="c", summariser="local", settings={"model": "encoder"}).settings == {"model": folder}
    assert Summarise(corpus="c", summariser="endpoint", settings={"model": "encoder"}).settings == {"model": "encoder"}


def test_names_are_no_paths(place):
    for name in ("minilm", "token", "run:0abc", "hf:a", "nothing"):
        (place / name).mkdir(exist_ok=True) if name != "nothing" else None
        assert absolute_reference(name) == name


def test_no_setting_that_names_an_encoder_is_plain_text():
    """A field added later needs ``EncoderReference``, or its folder is not found by the worker."""
    for kind in (RunSettings, StudySettings, MeasureBenchmark):
        field = kind.model_fields["encoder"]
        assert field.metadata or "AfterValidator" in str(field.annotation)
    assert PathText.__metadata__ and EncoderReference.__metadata__


def toy_csv(file: Path) -> None:
    rows = zip(*toy_texts(), strict=True)
    file.write_text("text,label\n" + "".join(f'"{text}",{label}\n' for text, label in rows), encoding="utf-8")


def stores(folder: Path) -> list[Path]:
    return sorted(path.parent for path in folder.rglob(".store-id"))


def command(*words: str, home: str, cwd: Path) -> dict:
    """The ``--json`` of a command in a process of its own, whose shell stands in ``cwd``."""
    environment = {**os.environ, "EMBEDLAB_HOME": home, "PYTHONPATH": str(PACKAGE_PARENT), "PWD": str(cwd)}
    done = subprocess.run(
        [sys.executable, "-m", "embedlab", *words, "--json"], cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def own_store(place: Path, home: str) -> Path:
    return {"../x/store": place.parent / "x" / "store", "~/store": place.parent / "store"}.get(home, place / "store")


def test_a_training_works_in_the_store_of_its_command(place, tmp_path):
    toy_csv(place / "texts.csv")
    home, cwd = "../x/store", tmp_path / "link"
    command("train", "--corpus", "texts.csv", *TINY, "--set", "maps=false", "--set", "inside=false", home=home, cwd=cwd)
    assert stores(tmp_path) == [own_store(place, home)]


@pytest.mark.slow
@pytest.mark.parametrize("home", ["store", "./store", "../x/store", "~/store"])
def test_every_process_of_a_command_works_in_the_same_store(place, tmp_path, monkeypatch, home):
    monkeypatch.setenv("HOME", str(place.parent))
    toy_csv(place / "texts.csv")
    cwd = tmp_path / "link"
    trained = command("train", "--corpus", "texts.csv", *TINY, home=home, cwd=cwd)
    command("map", "--run", trained["run"], "--method", "pca", "--out", "map.parquet", home=home, cwd=cwd)
    command("evaluate", "--run", trained["run"], "--metrics", "linear", home=home, cwd=cwd)
    assert stores(tmp_path) == [own_store(place, home)]
    assert len({path.parent for path in tmp_path.rglob("locks/*.lock")}) == 1
    assert (place / "map.parquet").exists()


@pytest.mark.slow
def test_the_demo_works_in_one_store(place, tmp_path):
    command("demo", home="store", cwd=tmp_path / "link")
    assert stores(tmp_path) == [place / "store"]
    assert len({path.parent for path in tmp_path.rglob("locks/*.lock")}) == 1


SCRIPT = """
import os
import embedlab as el
from pathlib import Path
os.chdir(Path("elsewhere").resolve())
corpus = el.load_corpus(r"{file}")
settings = {{"max_steps": 2, "vocabulary_size": 300, "maps": False, "inside": False}}
run = el.train(corpus, encoder="token", recipe="sentences", progress=False, **settings)
print(run.path)
"""


def test_a_notebook_works_in_the_store_that_was_named_at_its_import(place, tmp_path):
    toy_csv(place / "texts.csv")
    (place / "elsewhere").mkdir()
    environment = {**os.environ, "EMBEDLAB_HOME": "store", "PYTHONPATH": str(PACKAGE_PARENT)}
    script = SCRIPT.format(file=place / "texts.csv")
    done = subprocess.run([sys.executable, "-c", script], cwd=place, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).parent == place / "store" / "runs"
    assert stores(tmp_path) == [place / "store"]
