"""A decoder of random weights trained with and without an adapter: memory foretold, and what the run took.

    python -m tests.benchmarks.adapter_memory [none | fp32 | bf16 ...] [--size 50m] [--device cpu] [--batch 16]
        [--length 64]

Each in its own process, on 200 texts of random words, 10 steps of 16 pairs of at most 64 tokens: *none* trains the
encoder's own weights, *fp32* and *bf16* an adapter beside weights that are held so. *foretold* is what the estimate
before Start says, *peak* the largest resident memory of the run's process; on a GPU the last two columns are the same
of its tensors. Size ``0.6b`` has the dimensions of Qwen3-Embedding-0.6B and, as that was published, weights in bf16.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))
from tiny_models import hub_folder  # noqa: E402

from embedlab.runs.state import read_state  # noqa: E402
from embedlab.runs.store import find_run  # noqa: E402

SIZES = {
    "tiny": {},
    "50m": {
        "hidden_size": 512, "num_hidden_layers": 8, "num_attention_heads": 8, "num_key_value_heads": 8, "head_dim": 64,
        "intermediate_size": 2048, "vocab_size": 32_768, "initializer_range": 0.02,
    },
    "0.6b": {
        "hidden_size": 1024, "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8,
        "head_dim": 128, "intermediate_size": 3072, "vocab_size": 151_669, "initializer_range": 0.02,
        "max_position_embeddings": 32_768, "rope_theta": 1_000_000, "rms_norm_eps": 1e-6, "tie_word_embeddings": True,
        "dtype": "bfloat16",
    },
}  # fmt: skip
NAMES = ("weights", "gradients", "moments", "foretold", "peak", "foretold on the GPU", "peak on the GPU")


def trained(folder: Path, settings: dict, *how: str) -> dict:
    """What the command line prints of a run, or with ``--estimate`` of its estimate."""
    command = [sys.executable, "-m", "embedlab", "train", "--corpus", str(folder / "texts.csv"), "--text", "text"]
    command += ["--label", "label", "--encoder", str(folder / "decoder"), "--json", "--quiet", *how]
    command += [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def row_of(folder: Path, settings: dict) -> list[int | None]:
    """The bytes of one row, in the order of the columns; the last two are None without a GPU."""
    foretold = trained(folder, settings, "--estimate")
    state = read_state(find_run(trained(folder, settings)["run"]))
    held = [foretold["held_bytes"][name] for name in NAMES[:3]]
    on_gpu = [foretold["device_peak_bytes"], state.device_peak_bytes]
    return [*held, foretold["peak_bytes"], state.peak_bytes, *on_gpu]


def main(arguments: list[str] | None = None) -> None:
    """Print a row for each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("adapters", nargs="*", default=["none", "fp32", "bf16"])
    parser.add_argument("--size", default="50m", choices=SIZES)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--length", type=int, default=64)
    chosen = parser.parse_args(arguments)
    limits = {"batch_size": chosen.batch, "max_steps": 10, "max_length": chosen.length, "device": chosen.device}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EMBEDLAB_HOME"] = str(Path(folder) / "store")
        rng = np.random.default_rng(0)
        words = ["".join(rng.choice(list("abcdefghij"), 5)) for _ in range(2_000)]
        texts = [" ".join(" ".join(rng.choice(words, 20)).capitalize() + "." for _ in range(5)) for _ in range(200)]
        pd.DataFrame({"text": texts, "label": [row % 4 for row in range(200)]}).to_csv(Path(folder) / "texts.csv")
        hub_folder(Path(folder) / "decoder", "qwen3", texts, pooling="lasttoken", **SIZES[chosen.size])
        print(f"| adapter | {' | '.join(NAMES)} |\n{'|---' * (len(NAMES) + 1)}|", flush=True)
        for adapter in chosen.adapters:
            settings = {"recipe": "crops", "maps": "false"} | limits
            settings |= {} if adapter == "none" else {"adapter.kind": "lora", "adapter.base_weights": adapter}
            sizes = ["" if size is None else f"{size / 1e6:,.0f} MB" for size in row_of(Path(folder), settings)]
            print(f"| {adapter} | {' | '.join(sizes)} |", flush=True)


if __name__ == "__main__":
    main()
