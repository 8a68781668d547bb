"""Layers of a 6-layer encoder on 28,500 labeled texts: texts read, seconds, and memory above the encoder.

EMBEDLAB_TEST_CORPORA=FOLDER python -m tests.benchmarks.layers_28500 [TOKENS]

Random weights of 768 dimensions and texts cut at TOKENS (16): what is kept of a text does not depend on its length.
"""

import os
import resource
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.peak_memory import in_a_child, measured

TEXTS = 28_500


def main(tokens: int = 16) -> None:
    """Print it."""
    found = in_a_child(__file__, tokens)
    print(f"{found['texts']:,} texts read {found['reads']} time(s) for {found['rows']} layers × poolings")
    print(f"{found['seconds']} s; {found['gigabytes']} GB at most, {found['before']} GB of it before the first text")


def child(tokens: int) -> dict:
    """Load, look once, count."""
    from transformers import BertConfig, BertModel

    from embedlab.corpora import load_corpus
    from embedlab.diagnostics.base import EncoderView
    from embedlab.diagnostics.layerwise import Layerwise, LayerwiseConfig
    from embedlab.encoders.load import load_encoder
    from embedlab.encoders.transformer import TransformerEncoder
    from embedlab.tasks.measure.embedded import split_of

    with tempfile.TemporaryDirectory() as home:
        os.environ["EMBEDLAB_HOME"] = home
        corpus = load_corpus(str(Path(os.environ["EMBEDLAB_TEST_CORPORA"]) / "arxiv_balanced.parquet"))
        small = load_encoder("scratch:bert-tiny", corpus=corpus)  # its tokenizer
        shape = {"hidden_size": 768, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 768}
        model = BertModel(BertConfig(vocab_size=30_522, **shape), add_pooling_layer=False)
        encoder = TransformerEncoder(
            model, small.tokenizer, special_tokens=small.special_tokens, reference="six layers", max_length=tokens
        )
        read, seen = [], encoder.hidden_states
        encoder.hidden_states = lambda batch: (read.append(len(batch["attention_mask"])), seen(batch))[1]
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        looked = EncoderView(
            load=lambda: encoder, texts=corpus.texts[:TEXTS], labels=corpus.labels[:TEXTS], split=split_of(corpus)[0]
        )
        found = Layerwise.measure(looked, LayerwiseConfig(at_most=100_000, token=7))
        facts = {"texts": found["texts"], "reads": sum(read) / found["texts"], "rows": len(found["rows"])}
        return facts | {"before": round(before / 2**20, 2)}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        measured(lambda: child(int(sys.argv[2])))
    else:
        main(*map(int, sys.argv[1:]))
