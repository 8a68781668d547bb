"""Summaries of a corpus, text by text: each finished text is written at once, and a restart continues there."""

import os
import time
from contextlib import closing
from dataclasses import dataclass, replace
from importlib.metadata import version
from math import ceil
from pathlib import Path

import numpy as np

from embedlab.corpora.base import Corpus
from embedlab.corpora.made_summaries import MadeSummaries, begin, publish, rows_file
from embedlab.errors import CorpusError, UnfitError
from embedlab.jobs.requests.corpora import SummariesEstimate, Summarise
from embedlab.progress import Progress, silent
from embedlab.runs.state import now
from embedlab.runs.store import append_row, read_rows
from embedlab.summaries.base import Made, SourceText, Summariser, joined

PROBE_TEXTS = 4  # summarised for an estimate, or as many as are worked on together
_EMPTY_FIRST = 3  # so many first texts without a single summary end the work


@dataclass(frozen=True)
class Tally:
    """The cost of some texts."""

    texts: int = 0
    characters: int = 0
    summaries: int = 0
    requests: int = 0
    tokens_read: int = 0
    tokens_written: int = 0
    seconds: float = 0.0

    def with_one(self, made: Made, characters: int) -> "Tally":
        return replace(
            self,
            texts=self.texts + 1,
            characters=self.characters + characters,
            summaries=self.summaries + len(made.summaries),
            requests=self.requests + made.requests,
            tokens_read=self.tokens_read + made.tokens_read,
            tokens_written=self.tokens_written + made.tokens_written,
        )


class Making:
    """The texts of one corpus, a prepared summariser, and the finished rows."""

    def __init__(self, corpus: Corpus, texts: list[SourceText], summariser: Summariser):
        self.corpus, self.texts, self.summariser = corpus, texts, summariser
        self.key = summariser.fingerprint()
        self.file = rows_file(corpus.folder, self.key)

    def done(self) -> dict[int, list[str]]:
        """Row -> stored summaries of the requested texts."""
        requested = {text.row for text in self.texts}
        rows = (row for row in read_rows(self.file) if "summaries" in row)
        return {row["row"]: row["summaries"] for row in rows if row["row"] in requested}

    def go_on(self, progress: Progress = silent, *, probe: bool = False) -> Tally:
        """Summarise the remaining texts; for a probe only the first. A text without any summary remains undone."""
        done, size = set(self.done()), self.summariser.at_once
        groups = (self.texts[start : start + size] for start in range(0, len(self.texts), size))  # each is made whole
        texts = [text for group in groups if any(text.row not in done for text in group) for text in group]
        if probe:
            texts = texts[: size * ceil(PROBE_TEXTS / size)]
        stage = "Summarizing a few texts" if probe else f"Summarizing {len(self.texts):,} texts"
        before, total = (len(done), len(texts)) if probe else (0, len(self.texts))

        def report() -> None:
            """Also called in between, so that Stop is noticed."""
            progress(stage, len(done) - before, total)

        report()
        tally, began = Tally(), time.monotonic()
        _end_line(self.file)
        lengths = {text.row: len(joined(text.text, text.title)) for text in texts}
        with closing(self.summariser.summarise(texts, report)) as finished:
            for made in finished:
                tally = tally.with_one(made, lengths[made.row])
                if made.row not in done and made.summaries:
                    append_row(self.file, {"row": made.row, "summaries": made.summaries})
                    done.add(made.row)
                    report()
                if not done and tally.texts >= min(_EMPTY_FIRST, len(self.texts)):
                    wrote = f"{self.summariser.model} wrote only whitespace for the first {tally.texts} texts"
                    message = f"Summaries are needed, but {wrote}. Choose another model or other settings."
                    raise UnfitError("E-NO-SUMMARIES", message)
        return replace(tally, seconds=time.monotonic() - began)


def make(making: Making, request: Summarise, progress: Progress = silent) -> tuple[MadeSummaries, Tally]:
    """Make all requested summaries and publish them with the corpus. -> what was published, and what that took"""
    folder, part, what = making.corpus.folder, making.summariser, request.model_dump(mode="json", exclude={"estimate"})
    begin(folder, making.key, request=what, texts=len(making.texts))
    tally = making.go_on(progress)
    progress("Writing the summaries")
    made = making.done()
    facts = MadeSummaries(
        key=making.key,
        asked=what,
        summariser=part.key,
        title=part.title,
        model=part.model,
        extractive=part.is_extractive,
        prompts=part.prompts,
        continuations=part.continuations,
        settings=part.config.model_dump(mode="json"),
        asked_texts=len(making.texts),
        texts=len(made),
        summaries=sum(map(len, made.values())),
        made=now(),
        versions={name: version(name) for name in ("torch", "transformers")} if part.key == "local" else {},
    )
    return publish(folder, made, facts, rows=making.corpus.info.rows), tally


def estimate(making: Making, progress: Progress = silent) -> SummariesEstimate:
    """The cost of the remaining texts, measured on a few of them, which are then done."""
    probe = making.go_on(progress, probe=True)
    done = making.done()
    left = [text for text in making.texts if text.row not in done]
    characters = sum(len(joined(text.text, text.title)) for text in left)
    share = len(left) / probe.texts if probe.texts else 0.0  # what is written, and the time, go with the texts
    read_share = characters / probe.characters if probe.characters else 0.0
    length = f"{probe.characters / probe.texts:,.0f} characters on average" if probe.texts else ""
    return SummariesEstimate(
        corpus=making.corpus.fingerprint,
        asked_texts=len(making.texts),
        done=len(done),
        texts=len(left),
        requests=round(probe.requests * share),
        tokens_read=round(probe.tokens_read * read_share),
        tokens_written=round(probe.tokens_written * share),
        seconds=round(probe.seconds * share, 2),
        probe_texts=probe.texts,
        basis=f"Measured on {probe.texts} texts of {length}; they are kept." if probe.texts else "",
    )


def chosen_texts(corpus: Corpus, limit: int | None = None) -> list[SourceText]:
    """The first ``limit`` texts of a fixed shuffle of the corpus, so that a few are representative."""
    if corpus.has_summaries and corpus.made_summaries is None:
        raise CorpusError("E-HAS-SUMMARIES", f"Corpus {corpus.name!r} came with its own summaries, and those are used.")
    order = np.random.default_rng(0).permutation(len(corpus.kept))[:limit]
    return [SourceText(int(row), corpus.texts[row], corpus.title(row)) for row in corpus.kept[order]]


def _end_line(file: Path) -> None:
    """Complete a line torn by a crash, so that the next row does not join it."""
    if not file.is_file() or not file.stat().st_size:
        return
    with open(file, "r+b") as rows:
        rows.seek(-1, os.SEEK_END)
        if rows.read(1) != b"\n":
            rows.write(b"\n")
