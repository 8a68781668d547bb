"""How an exported encoder is loaded: code for each library, as its card and the page show it."""

import json
from pathlib import Path

from embedlab.damage import reading_stored
from embedlab.runs.folder import RunFolder
from embedlab.store_root import read_json

_POOLED = {
    "mean": "real = tokens['attention_mask'].unsqueeze(-1)\nembeddings = (hidden * real).sum(1) / real.sum(1)",
    "cls": "embeddings = hidden[:, 0]",
    "last": "last = tokens['attention_mask'].sum(1) - 1\nembeddings = hidden[torch.arange(len(hidden)), last]",
    "max": "real = tokens['attention_mask'].unsqueeze(-1)\n"
    "embeddings = hidden.masked_fill(real == 0, -torch.inf).max(1).values",
}


def how_to_load(
    run: RunFolder, on_hub: str | None, base: str | None, backend: str, dimensions: int | None
) -> list[str]:
    """The section of a card: code for each library; without a repository, folder names are placeholders.

    ``base``: of an adapter that stays apart.
    """
    place = on_hub or "FOLDER"
    encoder = f"hf:{on_hub}" if on_hub else "FOLDER"
    command = f"python -m embedlab embed --encoder {encoder} --corpus docs --out embeddings.npy"
    by_embedlab = ("With embedlab:", "", command)
    if backend == "onnx":
        title = "With sentence-transformers and optimum-onnx (embedlab does not load ONNX):"
        blocks = [(title, "python", loading_lines("FOLDER", backend))]
    elif base is not None:
        by_peft = (
            f"from sentence_transformers import SentenceTransformer\n\nencoder = SentenceTransformer({_quoted(base)})\n"
            'encoder.load_adapter("FOLDER")  # by peft\nembeddings = encoder.encode(["A text.", "Another text."])'
        )
        blocks = [("With sentence-transformers and peft:", "python", by_peft), by_embedlab]
    else:
        by_hand = transformers_lines(run.encoder, place, dimensions)
        alone = [("With transformers alone:", "python", by_hand)] if by_hand else []
        blocks = [("With sentence-transformers:", "python", loading_lines(place)), *alone, by_embedlab]
    lines = [line for title, language, code in blocks for line in (title, "", *fenced(language, code))]
    return ["## How to load it", "", *lines]


def fenced(language: str, code: str) -> list[str]:
    """A block of code in Markdown, and the blank line after it."""
    return [f"```{language}", code, "```", ""]


def loading_lines(folder: str | Path, backend: str = "torch") -> str:
    """Code that embeds with sentence-transformers."""
    by = "" if backend == "torch" else f", backend={_quoted(backend)}"
    return (
        "from sentence_transformers import SentenceTransformer\n\n"
        f"encoder = SentenceTransformer({_quoted(folder)}{by})\n"
        'embeddings = encoder.encode(["A text.", "Another text."])'
    )


def transformers_lines(encoder: Path, folder: str | Path, dimensions: int | None = None) -> str | None:
    """Code that embeds with transformers alone; None for token layers and where a Dense layer follows.

    ``dimensions``: the first so many that are kept, if not those of the folder.
    """
    with reading_stored(file := encoder / "modules.json"):
        kinds = [module["type"].rsplit(".", 1)[-1] for module in json.loads(file.read_text("utf-8"))]
    if kinds[0] != "Transformer" or "Dense" in kinds:
        return None
    lines = [
        "import torch",
        "from transformers import AutoModel, AutoTokenizer",
        "",
        f"tokenizer = AutoTokenizer.from_pretrained({_quoted(folder)})",
        f"model = AutoModel.from_pretrained({_quoted(folder)}).eval()",
        'tokens = tokenizer(["A text.", "Another text."], padding=True, truncation=True, return_tensors="pt")',
        "with torch.no_grad():",
        "    hidden = model(**tokens).last_hidden_state  # (texts, tokens, dim)",
        _POOLED[read_json(encoder / "embedlab.json")["exported_pooling"]].replace("'", '"'),
    ]
    lines += ["embeddings = torch.nn.functional.normalize(embeddings)"] * ("Normalize" in kinds)
    count = dimensions or read_json(encoder / "config_sentence_transformers.json").get("truncate_dim")
    return "\n".join([*lines, *([] if count is None else [f"embeddings = embeddings[:, :{count}]"])])


def _quoted(folder: str | Path) -> str:
    """A string literal, correct for paths with backslashes too."""
    return json.dumps(str(folder), ensure_ascii=False)
