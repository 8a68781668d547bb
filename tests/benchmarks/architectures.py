"""Every admitted kind of transformer against sentence-transformers: the largest difference at each step of its life.

    python -m tests.benchmarks.architectures [--onnx] [KIND | ENCODER ...]

Two random layers of 16 dimensions a kind, laid out as on the hub (tests/tiny_models.py), the same texts read
by both in float32. *embed*: as it is found; *train*: after five steps of Adam here, exported, against its vectors here;
*export*: what sentence-transformers reads of what was exported untouched; *reload*: what we read of it; *prompts*: with
a prompt before each text, theirs by its name. Differences of single numbers of a vector; their size is about 1.
With ``--onnx`` in their place: *onnx*, the largest difference of the exported graph; *int8*, the least cosine of the
graph with weights of 8 bits; an encoder by its name or folder (minilm) is measured by these alone.
"""

import json
import logging
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

sys.path.insert(0, str(Path(__file__).parents[1]))
from tiny_models import DECODERS, KINDS, hub_folder  # noqa: E402

from embedlab.encoders.embed import embed  # noqa: E402
from embedlab.encoders.encoder import Encoder  # noqa: E402
from embedlab.encoders.load import load_encoder  # noqa: E402
from embedlab.errors import UnfitError  # noqa: E402
from embedlab.progress import silent  # noqa: E402
from embedlab.tasks.onnx_export import ONNX_FORMATS, as_onnx, require_equal  # noqa: E402

TEXTS = [
    "The map shows the texts of one corpus.",
    "A text is a point, and near points are alike.",
    "Short.",
    "Texts can be long, and a long text is cut at a given number of tokens; the rest is never read by the encoder, "
    "which is so of every encoder that has a table of positions, and of those that have none by their configuration.",
    "The mean of all word vectors is a good start.",
]
PROMPT = "query: "


def theirs(folder: Path, **how: str) -> np.ndarray:
    """The vectors of sentence-transformers."""
    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    return model.encode(TEXTS, show_progress_bar=False, batch_size=2, **how)


def trained(encoder: Encoder) -> None:
    """Five steps on another sum of the vectors than they have."""
    optimiser = torch.optim.Adam(encoder.parameters(), lr=1e-3)
    tokens = encoder.collate(encoder.tokenize(TEXTS))
    encoder.train()
    for _ in range(5):
        optimiser.zero_grad()
        (encoder(tokens) - 1).square().mean().backward()
        optimiser.step()


def row_of(kind: str, folder: Path) -> list[float]:
    """The largest difference at each step."""
    hub = hub_folder(folder / "hub", kind, TEXTS, pooling="lasttoken" if kind in DECODERS else "mean")
    prompts = {"prompts": {"query": PROMPT}, "default_prompt_name": None, "similarity_fn_name": "cosine"}
    (hub / "config_sentence_transformers.json").write_text(json.dumps(prompts), encoding="utf-8")
    encoder = load_encoder(str(hub))
    ours, prompted = embed(encoder, TEXTS), embed(encoder, [PROMPT + text for text in TEXTS])
    encoder.save(folder / "export")
    again = embed(load_encoder(str(folder / "export")), TEXTS)
    pairs = [(ours, theirs(hub)), (prompted, theirs(hub, prompt_name="query")), (ours, theirs(folder / "export"))]
    embedded, with_prompt, exported = (float(np.abs(one - other).max()) for one, other in pairs)
    trained(encoder)
    after = embed(encoder, TEXTS)
    assert np.abs(after - ours).max() > 1e-3, "nothing was trained"
    encoder.save(folder / "trained")
    moved = float(np.abs(after - theirs(folder / "trained")).max())
    return [embedded, moved, exported, float(np.abs(again - ours).max()), with_prompt]


def graphs_of(name: str, folder: Path) -> list[str]:
    """The largest difference of the graph in fp32 and the least cosine of that in 8 bits, or that there is none."""
    encoder = load_encoder(str(hub_folder(folder / "hub", name, TEXTS)) if name in KINDS else name)
    ours, vectors = embed(encoder, TEXTS), []
    try:
        for format_ in ONNX_FORMATS:
            encoder.save(folder / format_)
            vectors.append(embed(as_onnx(folder / format_, format_, silent), TEXTS))
        difference = float(np.abs(vectors[0] - ours).max())
        require_equal(difference / float(np.abs(ours).max()))
    except UnfitError:
        return ["refused", "refused"]
    cosines = (vectors[1] * ours).sum(1) / np.linalg.norm(vectors[1], axis=1) / np.linalg.norm(ours, axis=1)
    return [f"{difference:.1e}", f"{cosines.min():.3f}"]


def main() -> None:
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    names = [name for name in sys.argv[1:] if name != "--onnx"] or KINDS
    columns = ["onnx", "int8"] if "--onnx" in sys.argv else ["embed", "train", "export", "reload", "prompts"]
    print(f"| kind | {' | '.join(columns)} |\n|{'---|' * (1 + len(columns))}")
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            if "--onnx" in sys.argv:
                cells = graphs_of(name, Path(folder))
            else:
                cells = [f"{number:.1e}" for number in row_of(name, Path(folder))]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
