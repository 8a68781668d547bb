"""What ``mini`` learns in the demo, over seeds: crops, dropout pairs, elongation, and the same from random weights.

python -m tests.benchmarks.mini [--seeds 0,1,2]

Prints kNN accuracy by cosine over ten folds before and after, layers 0 and last, the difference to TF-IDF on the same
tokens, and how far repeating titles moves the cosine of random pairs.
"""

import argparse
import json
import os
import tempfile
from pathlib import Path

import numpy as np
import torch
from transformers import BertForMaskedLM

from embedlab.encoders.load import encoder_folder, load_encoder
from embedlab.encoders.pretraining.folder import write_folder
from embedlab.training.demo import DEMO, DROPOUT_PAIRS, ELONGATION
from tests.benchmarks.example import told


def main() -> None:
    """Train each row with every seed, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="0,1,2")
    seeds = [int(each) for each in parser.parse_args().seeds.split(",")]
    with tempfile.TemporaryDirectory() as home:
        os.environ["EMBEDLAB_HOME"] = home
        aside = Path(home) / "aside"
        rows = {
            "crops": DEMO,
            "dropout pairs": DROPOUT_PAIRS,
            "elongation, self": ELONGATION,
            "random weights, crops": DEMO | {"encoder": str(_random(aside / "random"))},
        }
        print("| | before | after | change | to TF-IDF | layer 0 | last − layer 0 | repeated: before | after |")
        print("|---" * 9 + "|")
        for title, settings in rows.items():
            print(_row(title, [_measured(aside, settings | {"seed": seed}) for seed in seeds]), flush=True)


def _random(folder: Path) -> Path:
    """Write an encoder of the same shape and vocabulary whose weights are random."""
    folder.parent.mkdir(parents=True)
    pretrained = BertForMaskedLM.from_pretrained(encoder_folder("mini"))
    torch.manual_seed(0)
    write_folder(BertForMaskedLM(pretrained.config), load_encoder("mini").tokenizer, folder)
    return folder


def _measured(aside: Path, settings: dict) -> dict:
    """Return what a run, its layers and its length attack say."""
    file = aside / "settings.json"
    file.write_text(json.dumps(settings | {"maps": False, "inside": False, "live_texts": 0, "live_map": False}))
    trained = told("train", "--settings", str(file))
    layers = told("layers", "--run", trained["run"])["layers"]
    length = told("length", "--run", trained["run"])
    return {"folds": trained["folds"]["cosine"], "layers": layers, "length": length}


def _row(title: str, runs: list[dict]) -> str:
    before = np.array([run["folds"]["before"] for run in runs])
    after = np.array([run["folds"]["after"] for run in runs])
    to_words = np.array([run["folds"]["against"]["tfidf"]["difference"] for run in runs])
    of_layers, of_length = [], []
    for run in runs:
        own = [row["cosine"] for row in run["layers"] if row["pooling"] == "mean"]
        of_layers.append([[each["before"], each["after"]] for each in (own[0], own[-1])])
        states = [run["length"][encoder] for encoder in ("untouched", "tuned")]
        of_length.append([[each["before"]["mean"], each["after"]["mean"]] for each in states])
    (first_before, first_after), (_, last_after) = np.mean(of_layers, axis=0)
    untouched, tuned = np.mean(of_length, axis=0)
    cells = [
        f"{100 * before.mean():.1f}",
        f"{100 * after.mean():.1f} ({', '.join(f'{100 * each:.1f}' for each in after)})",
        f"{100 * (after - before).mean():+.1f}",
        f"{100 * to_words.mean():+.1f}",
        f"{100 * first_before:.1f} → {100 * first_after:.1f}",
        f"{100 * (last_after - first_after):+.1f}",
        f"{untouched[0]:.2f} → {untouched[1]:.2f}",
        f"{tuned[0]:.2f} → {tuned[1]:.2f}",
    ]
    return f"| {title} | " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
