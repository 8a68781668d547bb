"""``learn pack``: measures everything that the built-in lessons quote, once, and writes the packaged data."""

import json
import subprocess
import sys
from pathlib import Path

from embedlab.errors import EmbedlabError
from embedlab.jobs.runner import submit_once, wait
from embedlab.store_root import read_json, store_root, write_json

_QUICK = "schedule=epochs maps=false live_texts=500 evaluate_every=100000 epochs=none batch_size=32 max_length=64"
_TOKEN = "--corpus docs --encoder token --recipe sentences --epochs 6 --set batch_size=256"
_TINY = f"{_QUICK} learning_rate=1e-3 max_steps=3000 training_length=32 vocabulary_size=5000"
_MINILM = f"{_QUICK} max_steps=100 training_length=64"
TEMPERATURES = (0.005, 0.05, 0.5, 5.0)
RECIPES = ("crops", "dropout")
EXPERIMENTS = ("perplexity", "seeds", "noise")
PAIRS = {
    "nlp": ("what is NLP?", "what is computer vision?"),
    "cat": ("A cat sleeps on the sofa.", "Interest rates rose in March."),
    "paraphrase": ("How do I plot a histogram?", "How can I draw a bar chart of counts?"),
    "longer": (
        "How do I plot a histogram?",
        "How do I plot a histogram of two columns side by side with a legend, grid lines and a title in bold type?",
    ),
}


def _sets(settings: str) -> list[str]:
    return [word for setting in settings.split() for word in ("--set", setting)]


def commands() -> dict[str, list[str]]:
    """What is measured, by name: the words of a command."""
    found = {"token": ["train", *_TOKEN.split(), "--name", "learn token"]}
    for key, texts in PAIRS.items():
        found[f"copies.{key}"] = ["diagnose", "--encoder", "minilm", "--corpus", "docs", "--only", "length-curve",
                                  "--texts", *texts]  # fmt: skip
    found["minilm.layers"] = "layers --encoder minilm --corpus docs --at-most 2500".split()
    found["minilm.length"] = "length --encoder minilm --corpus docs".split()
    for each in TEMPERATURES:
        if each != 0.05:
            found[f"temperature.{each}"] = ["train", *_TOKEN.split(), *_sets(f"objective.temperature={each}"),
                                            "--name", f"learn temperature {each}"]  # fmt: skip
    for encoder, settings in (("scratch:bert-tiny", _TINY), ("minilm", _MINILM)):
        for recipe in RECIPES:
            name = f"{encoder.removeprefix('scratch:bert-')}.{recipe}"
            found[name] = ["train", "--corpus", "docs", "--encoder", encoder, "--recipe", recipe, *_sets(settings),
                           "--name", f"learn {name}"]  # fmt: skip
    return found


def measured(terminal) -> dict[str, dict]:
    """The result of every command, measured once in this store; what was measured earlier is read."""
    found = {}
    for number, (name, words) in enumerate(commands().items()):
        terminal(f"Measuring {name}", number, len(commands()))
        file = _folder() / f"{name}.json"
        if not file.is_file():
            write_json(file, _result(words))
        found[name] = read_json(file)
    for experiment in EXPERIMENTS:
        terminal(f"Drawing four maps: {experiment}", 0, 1)
        asked = {"run": found["token"]["run"], "side": "after", "experiment": experiment}
        wait(submit_once("lab", asked))
    return found


def _folder() -> Path:
    return store_root() / "lessons" / "measured"


def _result(words: list[str]) -> dict:
    asked = [sys.executable, "-m", "embedlab", *words, "--json", "--quiet"]
    done = subprocess.run(asked, stdout=subprocess.PIPE, check=False)
    result = json.loads(done.stdout or b"{}")
    if done.returncode or "error" in result:
        said = result.get("error", {}).get("message", "it printed nothing")
        raise EmbedlabError("E-PACK", f"`{' '.join(words)}` failed: {said} Mend that, then pack again.")
    return result
