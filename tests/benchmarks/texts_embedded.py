"""How many texts one run embeds, and for what: ``python -m tests.benchmarks.texts_embedded --corpus FILE.csv …``.

The run is done in this process, in a store of its own, with its maps. Texts read in training steps are not counted.
"""

import argparse
import inspect
import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

# Functions that embed for another one, by name: the first function above them is what the texts are embedded for.
EMBEDDING = (
    *("_batches", "_embed_by_token_layer", "embed", "embed_tokens", "hidden_batches", "_vectors", "parts_here"),
    *("embed_corpus", "embed_aside", "_embedded", "_embedded_texts", "counted", "counted_layer", "<genexpr>"),
)


@contextmanager
def counting() -> Iterator[Counter]:
    """Count within the block the texts that are embedded in this process, by the function that needs them."""
    from embedlab.encoders import embed

    texts: Counter = Counter()
    batches, by_token_layer = embed._batches, embed._embed_by_token_layer

    def counted(*given, **named):
        needed_by = _needed_by()
        for rows in batches(*given, **named):
            texts[needed_by] += len(rows)
            yield rows

    def counted_layer(layer, token_lists, *others):
        texts[_needed_by()] += len(token_lists)
        by_token_layer(layer, token_lists, *others)

    embed._batches, embed._embed_by_token_layer = counted, counted_layer
    try:
        yield texts
    finally:
        embed._batches, embed._embed_by_token_layer = batches, by_token_layer


def _needed_by() -> str:
    for frame in inspect.stack()[1:]:
        if "embedlab" in frame.filename and frame.function not in EMBEDDING and "benchmarks" not in frame.filename:
            return frame.function
    return "?"


def main() -> None:
    """Train once and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", required=True, help="a file with the columns text and topic")
    parser.add_argument("--encoder", default="scratch:bert-tiny")
    parser.add_argument("--recipe", default="crops")
    parser.add_argument("--settings", default="{}", help="further settings, as JSON")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["EMBEDLAB_HOME"] = home
        texts = _texts_of_a_run(asked.corpus, asked.encoder, asked.recipe, json.loads(asked.settings))
    for name, count in texts.most_common():
        print(f"{count:7,}  {name}")
    print(f"{sum(texts.values()):7,}  in all")


def _texts_of_a_run(file: str, encoder: str, recipe: str, settings: dict) -> Counter:
    import pandas

    from embedlab.corpora.base import Draft, store_corpus
    from embedlab.jobs.requests.drawing import DrawMaps
    from embedlab.tasks.draw.maps import run as draw
    from tests.doing import do

    table = pandas.read_csv(file)
    stored = store_corpus(Draft("timed", file, table["text"].tolist(), labels=table["topic"].tolist()))
    wanted = {"corpus": stored.fingerprint, "encoder": encoder, "recipe": recipe, "maps": False, **settings}
    with counting() as texts:
        folder = do("train", wanted)
        draw(folder, DrawMaps(run=folder.id), lambda *position: None)
    rows = [json.loads(line) for line in folder.metrics.open()]
    print("live points after steps", end=" ")
    print(", ".join(str(row["step"]) for row in rows if not row["full"]))
    return texts


if __name__ == "__main__":
    main()
