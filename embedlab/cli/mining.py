"""``pairs mine``: hard negatives for given pairs, found by an encoder, in a file that ``train --pairs`` reads."""

import time
from typing import Annotated, Literal

from embedlab.augmentations.given_pairs import GivenPairsConfig
from embedlab.cli.arguments import Json, Option, Outcome, given, options
from embedlab.cli.embedding import encoder_of
from embedlab.cli.reading import Parsing, RunOrEncoder, Score, output_file, read_pairs
from embedlab.cli.terminal import Terminal
from embedlab.config import validated
from embedlab.corpora.base import open_corpus
from embedlab.encoder_catalog.names import is_made_here
from embedlab.jobs.requests.corpora import Mining
from embedlab.numbers import counted
from embedlab.plain_text import one_line
from embedlab.store_root import atomic_write
from embedlab.table_files import parquet_bytes

EXAMPLES = 3  # pairs that are printed with their negatives
_LONGEST = 100  # characters of a text that are printed


@options("reading the pairs; columns are by default inferred from their names")
class PairColumns:
    """The columns of the pairs: fields of ``PairReading``."""

    anchor: Annotated[str | None, Option("the first texts", "COL")] = None
    positive: Annotated[str | None, Option("the texts that match them", "COL")] = None
    score: Score = None
    scale: Annotated[str | None, Option("lowest and highest score", "LOW,HIGH")] = None
    split: Annotated[str | None, Option("rows whose column split has this value (default: train)")] = None


@options("which texts are negatives, by sentence-transformers' rule; scores are cosines to the anchor")
class MiningOptions:
    """Fields of ``Mining``."""

    negatives: Annotated[int | None, Option("negatives of each pair (default 3); pairs with fewer are left out")] = None
    range_min: Annotated[int | None, Option("skip this many of the nearest texts", "RANK")] = None
    range_max: Annotated[int | None, Option("consider texts up to this rank", "RANK")] = None
    max_score: Annotated[float | None, Option("leave out texts with a higher score")] = None
    min_score: Annotated[float | None, Option("leave out texts with a lower score")] = None
    absolute_margin: Annotated[float | None, Option("at least this far below the score of the positive")] = None
    relative_margin: Annotated[float | None, Option("the same as a share of that score, such as 0.05")] = None
    sampling: Annotated[Literal["top", "random"] | None, Option("nearest first (default), or drawn at random")] = None
    seed: Annotated[int | None, Option("seed of random draws (default 0)")] = None


def mine(
    terminal: Terminal,
    pairs: Annotated[str, Option("a file of pairs, or hf:owner/name[:configuration[:split]]", "FILE")],
    *,
    of: RunOrEncoder,
    out: Annotated[str, Option("what train --pairs reads", "FILE.parquet")],
    precision: Annotated[Literal["auto", "fp32", "bf16"], Option("of the vectors, as embed has it")] = "auto",
    mining: MiningOptions,
    columns: PairColumns,
    parsing: Parsing,
) -> Outcome:
    """Write each pair with texts of other pairs that the encoder places near its anchor."""
    from embedlab.tasks.measure.subjects import OneEncoder
    from embedlab.tasks.mining import matching, mined_pairs

    settings, file = validated(Mining, given(mining), where="mining"), output_file(out, ".parquet")
    of_their_texts = of.run is None and is_made_here(of.reference)  # then the encoder is made from these
    given_pairs, own_texts = read_pairs(pairs, given(columns), parsing, terminal, with_corpus=of_their_texts)
    corpus = None if own_texts is None else open_corpus(own_texts)
    began = time.perf_counter()
    if given_pairs.scores is not None:
        used, of_pairs = len(matching(given_pairs)), counted(len(given_pairs.scores), "pair")
        terminal.note(f"{used:,} of {of_pairs} have a score of at least {GivenPairsConfig().least_score:g} of 1.")
    subject = OneEncoder(encoder_of(of, corpus, terminal), terminal, precision)
    table, result = mined_pairs(given_pairs, subject, settings, terminal)
    with atomic_write(file) as temporary:
        temporary.write_bytes(parquet_bytes(table))
    by = {"run": of.run} if of.run is not None else {"encoder": of.reference}
    facts = result.model_copy(update={"examples": result.examples[:EXAMPLES]}).model_dump(mode="json")
    printed = {"out": str(file), "by": by, **facts, "seconds": round(time.perf_counter() - began, 2)}
    return Outcome(printed, show_mine(printed))


def show_mine(result: Json) -> list[str]:
    """How many pairs have negatives, the first of them, and the command that trains on them."""
    each = counted(result["negatives"], "negative")
    lines = [
        f"{result['mined']:,} of {counted(result['pairs']['used'], 'pair')} have {each} each, of "
        f"{counted(result['texts'], 'text')}: mean cosine {result['negative_score']:.2f}, of the positives "
        f"{result['positive_score']:.2f}"
    ]
    if result["without"]:
        lines.append(f"{counted(result['without'], 'pair')} with fewer left out")
    removed = [f"{name} {count:,}" for name, count in result["removed"].items() if count and name != "positives"]
    lines += [f"Candidates removed: {', '.join(removed)}"] if removed else []
    for example in result["examples"]:
        anchor, positive = (one_line(example[name], _LONGEST) for name in ("anchor", "positive"))
        lines += ["", anchor, f"  + {example['positive_score']:.2f}  {positive}"]
        scored = zip(example["scores"], example["negatives"], strict=True)
        lines += [f"  − {score:.2f}  {one_line(text, _LONGEST)}" for score, text in scored]
    return [*lines, "", f"Train on them with: python -m embedlab train --recipe ranking --pairs {result['out']}"]
