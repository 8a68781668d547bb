"""The lines of Python that load an encoder's folder, without embedlab."""

import json
from pathlib import Path

from embedlab.store_root import read_json

_POOLED = {
    "mean": "real = tokens['attention_mask'].unsqueeze(-1)\nembeddings = (hidden * real).sum(1) / real.sum(1)",
    "cls": "embeddings = hidden[:, 0]",
    "last": "last = tokens['attention_mask'].sum(1) - 1\nembeddings = hidden[torch.arange(len(hidden)), last]",
    "max": "real = tokens['attention_mask'].unsqueeze(-1)\n"
    "embeddings = hidden.masked_fill(real == 0, -torch.inf).max(1).values",
}


def loading_lines(folder: str | Path) -> str:
    """With sentence-transformers."""
    return (
        "from sentence_transformers import SentenceTransformer\n\n"
        f"encoder = SentenceTransformer({_quoted(folder)})\n"
        'embeddings = encoder.encode(["A text.", "Another text."])'
    )


def transformers_lines(encoder: Path, folder: str | Path) -> str | None:
    """With transformers alone, its pooling written out; None of token layers and where a Dense layer follows."""
    kinds = [module["type"].rsplit(".", 1)[-1] for module in json.loads((encoder / "modules.json").read_text("utf-8"))]
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
    return "\n".join([*lines, *(["embeddings = torch.nn.functional.normalize(embeddings)"] * ("Normalize" in kinds))])


def _quoted(folder: str | Path) -> str:
    """A string literal also where the path has backslashes."""
    return json.dumps(str(folder), ensure_ascii=False)
