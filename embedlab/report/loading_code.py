"""How an exported encoder is loaded: code for each library, as its card and the page show it."""

import json
from pathlib import Path

from embedlab.damage import reading_stored
from embedlab.encoder_catalog.facts import read_saved_facts
from embedlab.runs.folder import RunFolder
from embedlab.store_root import read_json

_REAL = 'real = tokens["attention_mask"].unsqueeze(-1)'
_POOLED = {  # by pooling: what comes before, and the vectors; hidden: (texts, tokens, dim)
    "mean": (_REAL, "(hidden * real).sum(1) / real.sum(1)"),
    "cls": (None, "hidden[:, 0]"),
    "last": ('last = tokens["attention_mask"].sum(1) - 1', "hidden[torch.arange(len(hidden)), last]"),
    "max": (_REAL, "hidden.masked_fill(real == 0, -torch.inf).max(1).values"),
    "weighted-mean": (f"{_REAL}\nweights = real.cumsum(1) * real", "(hidden * weights).sum(1) / weights.sum(1)"),
    "mean-sqrt": (_REAL, "(hidden * real).sum(1) / real.sum(1).sqrt()"),
}


def how_to_load(
    run: RunFolder, on_hub: str | None, base: str | None, backend: str, dimensions: int | None
) -> list[str]:
    """The section of a card: code for each library; without a repository, folder names are placeholders.

    ``base``: of an adapter that stays apart.
    """
    source = on_hub or "FOLDER"
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
        by_hand = transformers_lines(run.encoder, source, dimensions)
        alone = [("With transformers alone:", "python", by_hand)] if by_hand else []
        blocks = [("With sentence-transformers:", "python", loading_lines(source)), *alone, by_embedlab]
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
    """Code that embeds with transformers alone as ``encode`` of sentence-transformers does.

    None for token layers, and where a Dense layer follows or the prompt's tokens are left out of the pooling.
    ``dimensions``: the first so many that are kept, if not those of the folder.
    """
    with reading_stored(file := encoder / "modules.json"):
        kinds = [module["type"].rsplit(".", 1)[-1] for module in json.loads(file.read_text("utf-8"))]
    poolings = read_saved_facts(encoder).exported_pooling.split("+")
    if kinds[0] != "Transformer" or "Dense" in kinds or not set(poolings) <= set(_POOLED):
        return None
    config = read_json(encoder / "config_sentence_transformers.json")
    prompt = (config.get("prompts") or {}).get(config.get("default_prompt_name"))
    if prompt and read_json(encoder / "1_Pooling" / "config.json").get("include_prompt") is False:
        return None
    texts = '["A text.", "Another text."]'
    lines = [
        "import torch",
        "from transformers import AutoModel, AutoTokenizer",
        "",
        f"tokenizer = AutoTokenizer.from_pretrained({_quoted(folder)})",
        f"model = AutoModel.from_pretrained({_quoted(folder)}).eval()",
        *([f"texts = [{_quoted(prompt)} + text for text in {texts}]"] if prompt else []),
        f'tokens = tokenizer({"texts" if prompt else texts}, padding=True, truncation=True, return_tensors="pt")',
        "with torch.no_grad():",
        "    hidden = model(**tokens).last_hidden_state  # (texts, tokens, dim)",
    ]
    codes = [_POOLED[each] for each in poolings]
    lines += dict.fromkeys(line for before, _ in codes if before for line in before.splitlines())
    vectors = ", ".join(vector for _, vector in codes)
    lines.append(f"embeddings = torch.cat([{vectors}], 1)" if len(poolings) > 1 else f"embeddings = {vectors}")
    lines += ["embeddings = torch.nn.functional.normalize(embeddings)"] * ("Normalize" in kinds)
    count = dimensions or config.get("truncate_dim")
    return "\n".join([*lines, *([] if count is None else [f"embeddings = embeddings[:, :{count}]"])])


def _quoted(folder: str | Path) -> str:
    """A string literal, correct for paths with backslashes too."""
    return json.dumps(str(folder), ensure_ascii=False)
