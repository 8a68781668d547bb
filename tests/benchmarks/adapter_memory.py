"""A decoder of 50 million random weights trained with and without an adapter: memory foretold, and what the run took.

    python -m tests.benchmarks.adapter_memory [none | fp32 | bf16 ...]

Each in its own process, on 200 texts of random words, 10 steps of 16 pairs of at most 64 tokens: *none* trains the
encoder's own weights, *fp32* and *bf16* an adapter beside weights that are held so. *foretold* is what the estimate
before Start says, *peak* the largest resident memory of the run's process.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "encoders"))
from tiny_models import hub_folder  # noqa: E402

from embedlab.runs.state import read_state  # noqa: E402
from embedlab.runs.store import find_run  # noqa: E402

SIZES = {
    "hidden_size": 512, "num_hidden_layers": 8, "num_attention_heads": 8, "num_key_value_heads": 8, "head_dim": 64,
    "intermediate_size": 2048, "vocab_size": 32_768, "initializer_range": 0.02,
}  # fmt: skip
LIKE_SO = {"recipe": "crops", "batch_size": 16, "max_steps": 10, "max_length": 64, "maps": "false"}


def trained(folder: Path, adapter: str, *how: str) -> dict:
    """What the command line prints of a run, or with ``--estimate`` of its estimate."""
    settings = LIKE_SO | ({} if adapter == "none" else {"adapter.kind": "lora", "adapter.base_weights": adapter})
    command = [sys.executable, "-m", "embedlab", "train", "--corpus", str(folder / "texts.csv"), "--text", "text"]
    command += ["--label", "label", "--encoder", str(folder / "decoder"), "--json", "--quiet", *how]
    command += [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def main() -> None:
    """Print a row for each."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EMBEDLAB_HOME"] = str(Path(folder) / "store")
        rng = np.random.default_rng(0)
        words = ["".join(rng.choice(list("abcdefghij"), 5)) for _ in range(2_000)]
        texts = [" ".join(" ".join(rng.choice(words, 20)).capitalize() + "." for _ in range(5)) for _ in range(200)]
        pd.DataFrame({"text": texts, "label": [row % 4 for row in range(200)]}).to_csv(Path(folder) / "texts.csv")
        hub_folder(Path(folder) / "decoder", "qwen3", texts, **SIZES)
        print("| adapter | weights | gradients | moments | foretold | peak |\n|---|---|---|---|---|---|", flush=True)
        for adapter in sys.argv[1:] or ("none", "fp32", "bf16"):
            foretold = trained(Path(folder), adapter, "--estimate")
            run = trained(Path(folder), adapter)
            state = read_state(find_run(run["run"]))
            held = foretold["held_bytes"]
            sizes = [*(held[name] for name in ("weights", "gradients", "moments")), foretold["peak_bytes"]]
            print(f"| {adapter} | " + " | ".join(f"{size / 1e6:,.0f} MB" for size in [*sizes, state.peak_bytes]) + " |")


if __name__ == "__main__":
    main()
