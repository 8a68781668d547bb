"""The search for the best encoder in a given time, from a notebook: started, followed, its winner and leaderboard."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

from embedlab.api.following import followed, from_a_notebook, require_finished, worked
from embedlab.api.run import Run
from embedlab.api.tables import CandidateRow, Leaderboard
from embedlab.api.training import Source, load_corpus, open_run
from embedlab.config import validated
from embedlab.corpora.sets.reading import SetReading
from embedlab.distance import DISTANCES
from embedlab.finds.judging import judged, judging_of
from embedlab.finds.leaderboard import ranked
from embedlab.finds.model import FindResults, FindSettings
from embedlab.finds.store import Find, going_on, results_of
from embedlab.jobs.campaigns import job_of
from embedlab.jobs.executors import executor_of
from embedlab.jobs.requests.corpora import AddedSet, ReadSet
from embedlab.jobs.runner import stop_all, submit
from embedlab.plain_text import printable
from embedlab.runs.hand_labels import hand_labels_of
from embedlab.runs.state import read_state

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class FindResult:
    """The result of a Find: its winner as a run, its verdict on texts that chose nothing, and every candidate."""

    id: str
    winner: Run | None
    verdict: str
    leaderboard: Leaderboard

    def to_pandas(self) -> pd.DataFrame:
        """The leaderboard, best first."""
        return self.leaderboard.to_pandas()

    def __repr__(self) -> str:
        return f"Find {self.id}: {self.verdict or 'no verdict yet'}\n{self.leaderboard!r}"


@from_a_notebook
def find(
    corpus: Source,
    *,
    minutes: float = 5.0,
    seed: int = 0,
    judge: str | PathLike[str] | None = None,
    on: str | None = None,
    progress: bool = True,
) -> FindResult:
    """The best encoder and training for a corpus within this many minutes of work, compared with TF-IDF.

    ``judge``: a file of pairs that people judged, or of queries, for a corpus without labels: one half selects, the
    other gives the verdict. ``KeyboardInterrupt`` stops it; a later Find on the
    corpus measures nothing again that this one measured.

    Raises
    ------
    CorpusError
        there is nothing to select by.
    SettingsError
        minutes or seed are out of range.
    """
    executor_of(on)
    validated(FindSettings, {"corpus": "?", "minutes": minutes, "seed": seed})
    texts = load_corpus(corpus, progress=progress)
    judging_set = None
    if judge is not None:
        request = ReadSet(path=str(judge), reading=SetReading(), judges=True)
        judging_set = worked(request, AddedSet, progress=progress).fingerprint
    settings = FindSettings(corpus=texts.fingerprint, minutes=minutes, seed=seed, judge=judging_set)
    if judging_set is None:
        judging = judging_of(texts, hand_labels_of(texts))
        settings = judged(settings, texts, judging)
        if progress:
            print(printable(judging.message), file=sys.stderr)
    search = Find.create_once(settings)
    job = job_of(search)
    if results_of(search).verdict is None:
        if job is None or read_state(job).is_over:
            job = submit(going_on(search, on))
        try:
            require_finished(job, followed(job, progress=progress))
        except KeyboardInterrupt:
            stop_all([training for training in search.trainings if not read_state(training).is_over])
            raise
    results = results_of(search)
    winner = None if results.winner_run is None else open_run(results.winner_run)
    sentence = results.too_few if results.verdict is None else results.verdict.sentence
    return FindResult(search.id, winner, sentence, _leaderboard(results))


def _leaderboard(results: FindResults) -> Leaderboard:
    marks = {standing.key: standing.mark for standing in results.leaderboard}
    measured = ranked(results, next(iter(DISTANCES)))
    others = [candidate for candidate in results.candidates if candidate not in measured]
    rows = []
    for each in [*measured, *others]:
        for distance in DISTANCES if each.value is not None else (None,):
            value = None if each.value is None or distance is None else each.value.by(distance)
            rows.append(
                CandidateRow(
                    candidate=each.described,
                    kind=each.kind,
                    encoder=each.encoder,
                    recipe=each.recipe,
                    state=str(each.state),
                    steps=each.steps,
                    seconds=each.seconds,
                    distance=distance,
                    value=None if value is None else value.value,
                    standard_error=None if value is None else value.error,
                    mark=marks.get(each.key, ""),
                    reason=each.reason,
                )
            )
    return Leaderboard(tuple(rows))
