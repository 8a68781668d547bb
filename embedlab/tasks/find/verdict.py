"""The verdict on a Find's winner: on the test texts, or on the half of the judging file that chose nothing."""

from embedlab.distance import DISTANCES, SHOWN_FIRST
from embedlab.finds.lines import verdict_sentence
from embedlab.finds.model import FindResults, Verdict
from embedlab.measurement import ByDistance, Change
from embedlab.runs.folder import RunFolder
from embedlab.runs.predictions import folds_of
from embedlab.runs.result import read_result
from embedlab.statistics.intervals import paired_shares
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.find.choosing import REFERENCES, BySet
from embedlab.tasks.find.workshop import CorpusWorkshop
from embedlab.tasks.measure.references import reference_lines_of

COUNTING = tuple(REFERENCES)  # what counts words


def verdict_of(workshop: CorpusWorkshop, results: FindResults, winner: RunFolder, progress) -> Verdict:
    """Of the winner, trained in full."""
    if workshop.settings.judge is None:
        value, against = _on_test_texts(workshop, winner, progress)
    else:
        value, against = _on_other_half(workshop, winner)
    counting = [against[key].by(SHOWN_FIRST) for key in COUNTING if key in against]
    beats = bool(counting) and all(change.low > 0 for change in counting)
    widest = max(((change.high - change.low) / 2 for change in counting), default=0.0)
    compared = sum(each.value is not None for each in results.candidates)
    facts = {"compared": compared, "metric": workshop.metric, "beats_counting": beats, "visible": round(widest, 4)}
    return Verdict(
        run=winner.id, value=value, against=against, **facts, sentence=verdict_sentence(value, against, **facts)
    )


def _on_test_texts(workshop: CorpusWorkshop, winner: RunFolder, progress):
    result = read_result(winner)
    value = result.knn.after if result.kept is None or not result.stopped else result.knn.best
    lines = reference_lines_of(workshop.corpus, progress)
    against: dict[str, ByDistance[Change]] = {}

    def compared(distance: str, key: str) -> Change:
        texts = folds_of(winner, distance, only_test_texts=True)
        right = texts.right("before") if key == "untouched" else lines[key].right(texts.rows)
        return paired_shares(before=right, after=texts.right("after")).change

    for key in (*(["untouched"] if result.is_trained else []), *lines):
        against[key] = ByDistance(**{distance: compared(distance, key) for distance in DISTANCES})
    return value, against


def _on_other_half(workshop: CorpusWorkshop, winner: RunFolder):
    half = BySet(workshop.settings.judge, workshop.device.name, half=1)
    is_trained = read_result(winner).is_trained

    def look(side: str):
        return half.look(encoder_of_run(winner, side).to(workshop.device.name), None)

    value, after = look("after")
    others = {key: half.reference(key)[1] for key in REFERENCES}
    if is_trained:
        others = {"untouched": look("before")[1], **others}
    better = 1 if half.metric.higher_is_better else -1
    against = {}
    for key, units in others.items():
        found = half.metric.difference(before=units.cosine, after=after.cosine)
        low, high = sorted((better * found.low, better * found.high))
        change = Change(difference=better * found.value, low=low, high=high)
        against[key] = ByDistance(change, change)
    return value, against
