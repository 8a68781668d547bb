"""Whether a hub's folder is an encoder that can be read here, judged by its list of files and its small files alone."""

import re
from collections.abc import Callable, Collection
from pathlib import Path

from embedlab.encoders.architectures import ARCHITECTURES
from embedlab.encoders.weight_files import onnx_only, optional_json_object, read_json
from embedlab.errors import EncoderError

# Pickled weights are never among them.
ALLOWED = re.compile(
    r"config\.json|embedlab\.json|modules\.json|sentence_bert_config\.json|config_sentence_transformers\.json|special_tokens_map\.json"
    r"|adapter_config\.json|tokenizer\.json|tokenizer_config\.json|vocab\.txt|vocab\.json|merges\.txt"
    r"|tokenizer\.model|sentencepiece\.bpe\.model|spiece\.model"
    r"|model\.safetensors|model\.safetensors\.index\.json|model-\d{5}-of-\d{5}\.safetensors"
    r"|\d{1,2}_(Pooling|Normalize|Dense|StaticEmbedding|Transformer)/(config\.json|model\.safetensors|tokenizer\.json)"
)
_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".ckpt", ".h5", ".msgpack")
_OF_IMAGES = ("vision_config", "vision_cfg", "audio_config", "image_token_index", "image_token_id")


def is_small(path: str) -> bool:
    """Whether a file is fetched before the weights, to be judged."""
    return path.endswith(".json") and not path.endswith(("tokenizer.json", "vocab.json"))


def require_weights_listed(name: str, listed: Collection[str]) -> None:
    """Refuse a repository that lists no weights that can be read here, by what it has in their place."""
    endings = {Path(path).suffix for path in listed}
    if ".onnx" in endings and not endings & {".safetensors", *_PICKLES}:
        raise onnx_only(f"hf:{name}")
    if ".gguf" in endings and not endings & {".safetensors", *_PICKLES}:
        raise EncoderError(
            "E-GGUF-ONLY",
            f"hf:{name} has quantized GGUF files only, which cannot be trained. Choose the encoder that they "
            "were made of.",
        )
    if not endings & {".safetensors", *_PICKLES}:
        raise EncoderError(
            "E-NOT-SAFETENSORS",
            f"hf:{name} has no weights at all: it lists {', '.join(sorted(listed)[:4]) or 'no files'}. Choose another "
            "one.",
        )


def judge(name: str, folder: Path, listed: Collection[str], *, reads: Callable[[Path], object]) -> None:
    """Refuse what cannot be read here, before its weights are fetched; the small files lie in ``folder``.

    ``reads``: the door that will read it, which refuses what a configuration says of sizes and kinds.
    """
    config = optional_json_object(folder / "config.json")
    adapter = optional_json_object(folder / "adapter_config.json")
    if adapter and not any(re.fullmatch(r"model(-\d{5}-of-\d{5})?\.safetensors", path) for path in listed):
        base = adapter.get("base_model_name_or_path")
        raise EncoderError(
            "E-ADAPTER",
            f"hf:{name} is an adapter; its base is {str(base)[:100] if base else 'not stated'}. Choose the base, or an "
            "encoder into which the adapter was merged.",
        )
    if any(config.get(field) for field in _OF_IMAGES):
        raise EncoderError(
            "E-NOT-TEXT",
            f"hf:{name} is a text-and-image model, and only encoders of texts are read. Choose another one.",
        )
    if _needs_code(folder, config):
        raise EncoderError(
            "E-REMOTE-CODE",
            f"hf:{name} needs code of its own (trust_remote_code), which is never run. Choose another encoder, or a "
            "copy that transformers reads by itself.",
        )
    try:
        reads(folder)
    except EncoderError as error:
        message = str(error).replace(folder.name, f"hf:{name}")  # while it is fetched it has another name
        raise EncoderError(error.code, message) from None


def _needs_code(folder: Path, config: dict) -> bool:
    """A kind that transformers does not have, or a module that sentence-transformers does not."""
    foreign = "auto_map" in config and config.get("model_type") not in ARCHITECTURES
    modules = read_json(folder / "modules.json") if (folder / "modules.json").is_file() else []
    types = [str(each.get("type", "")) for each in modules if isinstance(each, dict)]
    return foreign or any(not kind.startswith(("sentence_transformers.", "pylate.")) for kind in types)
