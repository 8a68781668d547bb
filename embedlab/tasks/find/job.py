"""The jobs of a Find: search, train the winner in full as an ordinary run, give the verdict; and a candidate's rung."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from filelock import FileLock, Timeout

from embedlab.corpora import load_corpus
from embedlab.distance import SHOWN_FIRST, Distance
from embedlab.errors import RunError, StopRequested
from embedlab.finds.budget import winner_seconds
from embedlab.finds.earlier import earlier_winners
from embedlab.finds.lines import verdict_sentence
from embedlab.finds.look import Measured, write_units
from embedlab.finds.model import FindResults, RungResult, Verdict
from embedlab.finds.search import Search
from embedlab.finds.store import Find, add_result, results_of
from embedlab.jobs.campaigns import asked_of
from embedlab.jobs.executors import LOCAL, executor_of
from embedlab.jobs.requests.working import RunFind, TrainCandidate
from embedlab.jobs.runner import request_stop, resume, submit, wait
from embedlab.measurement import ByDistance, Change, Measurement
from embedlab.numbers import duration
from embedlab.progress import Progress, in_words
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import Accuracy, accuracy_of, read_result
from embedlab.runs.state import State, read_state, write_state
from embedlab.runs.store import open_run
from embedlab.store_root import write_json
from embedlab.tasks import TASKS
from embedlab.tasks.device_queue import device_held
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.find.choosing import REFERENCES, BySet
from embedlab.tasks.find.on_executor import TrainedRung
from embedlab.tasks.find.workshop import CorpusWorkshop
from embedlab.tasks.study import same_run


def run(folder: RunFolder, request: RunFind, progress: Progress) -> None:
    """Continue the Find from its current state."""
    find = Find.open(request.find)
    if (why := executor_of(request.on).unreachable()) is not None:
        raise RunError("E-EXECUTOR", f"{why} Continue with: python -m embedlab find resume {find.id} --on local")
    try:
        with FileLock(find.lock, timeout=0):
            _work(folder, find, request, progress)
    except Timeout:
        raise RunError("E-FIND-BUSY", f"Find {find.id} is already running. Wait for it, or stop it first.") from None


def _work(folder: RunFolder, find: Find, request: RunFind, progress: Progress) -> None:
    settings = asked_of(find)
    corpus = load_corpus(settings.corpus, progress=progress)
    workshop = CorpusWorkshop(find, settings, corpus, progress, executor_of(request.on))
    results = results_of(find)
    if results.chosen is None:
        search = Search(find, settings, workshop, progress)
        with ExitStack() as held:  # the device is the Find's while it computes here: with an executor, only these
            held.enter_context(_device(folder, request, progress))
            if executor_of(request.on) is not LOCAL:
                search.look_at_fixed()
                held.close()
            results = search.run()
    if results.verdict is None:
        winner = _winner(find, results, workshop, request, progress)
        results = results_of(find)
        add_result(find, verdict=verdict_of(workshop, results, winner))
    write_json(folder.result, {"find": find.id, "chosen": results.chosen})


@contextmanager
def _device(folder: RunFolder, request: RunFind, progress: Progress) -> Iterator[None]:
    """Hold this computer's device and name it in the state, so that waiting jobs can report it."""
    write_state(folder, State.RUNNING, device=None)
    with device_held(folder, replace(TASKS["find"], needs_device=True), request, progress) as device:
        write_state(folder, State.RUNNING, device=device)
        yield
    write_state(folder, State.RUNNING, device=None)


def _winner(
    find: Find, results: FindResults, workshop: CorpusWorkshop, request: RunFind, progress: Progress
) -> RunFolder:
    """The winner's full run, started or continued to its end; Stop ends it, too."""
    chosen = results.chosen_candidate
    if results.winner_run is None:
        settings = workshop.shared.full_settings(chosen)
        same = same_run(settings)
        if same is not None and same.id in set(earlier_winners(find, asked_of(find))):
            run = same  # of an earlier Find, to which it would be identical
        else:
            run = submit(settings, name=f"Find: {chosen.title}"[:80], on=request.on)
        add_result(find, winner_run=run.id)
    else:
        run = open_run(results.winner_run)
        if read_state(run).state in (State.FAILED, State.STOPPED, State.INTERRUPTED):
            resume(run, request.on)

    try:
        seconds = winner_seconds(chosen)
        progress("Training the winner in full" + ("" if seconds is None else f", about {duration(seconds)}"))
        facts = wait(run, in_words(progress, "Training the winner in full: {}".format))
    except StopRequested:
        request_stop(run)
        wait(run)
        raise
    if facts.state is not State.FINISHED:
        reason = facts.error.message if facts.error else f"It is {facts.state}."
        raise RunError("E-FIND-WINNER", f"The winner, run {run.id}, was not trained in full. {reason} Resume the Find.")
    return run


COUNTING = tuple(REFERENCES)  # what counts words


def verdict_of(workshop: CorpusWorkshop, results: FindResults, winner: RunFolder) -> Verdict:
    """The verdict of the fully trained winner."""
    if workshop.settings.judge is None:
        value, against = _on_texts(winner)
    else:
        value, against = _on_other_half(workshop, winner)
    counting = [against[key].by(SHOWN_FIRST) for key in COUNTING if key in against]
    beats = bool(counting) and all(change.low > 0 for change in counting)
    widest = max(((change.high - change.low) / 2 for change in counting), default=0.0)
    compared = sum(each.value is not None for each in results.candidates)
    metric, visible = workshop.metric, round(widest, 4)
    sentence = verdict_sentence(value, against, compared=compared, metric=metric, beats_counting=beats, visible=visible)
    return Verdict(
        run=winner.id,
        value=value,
        against=against,
        compared=compared,
        metric=metric,
        beats_counting=beats,
        visible=visible,
        sentence=sentence,
    )


OnUnseen = tuple[ByDistance[Measurement], dict[str, ByDistance[Change]]]  # the winner's value, and changes by name


def _on_texts(winner: RunFolder) -> OnUnseen:
    """The winner's own accuracy: it leaves out the development texts, which chose it."""
    result = read_result(winner)

    def measured(distance: Distance) -> Accuracy:
        accuracy = accuracy_of(result, distance)
        assert accuracy is not None, "the winner was trained in full on a labeled corpus"
        return accuracy

    def changes(distance: Distance) -> dict[str, Change]:
        accuracy = measured(distance)
        return ({} if accuracy.change is None else {"untouched": accuracy.change}) | accuracy.against

    value = ByDistance.of(lambda each: measured(each).measurement)
    by = ByDistance.of(changes)
    against = {key: ByDistance(by.euclidean[key], by.cosine[key]) for key in by.either}
    return value, against


def _on_other_half(workshop: CorpusWorkshop, winner: RunFolder) -> OnUnseen:
    judge, result = workshop.settings.judge, read_result(winner)
    assert judge is not None and result is not None, "a file judges the winner, which was trained in full"
    half = BySet(judge, workshop.device.name, half=1)

    def look(side: str) -> Measured:
        encoder = encoder_of_run(winner, side).to(workshop.device.name)
        return half.cuts(encoder, None, [encoder.dim])[encoder.dim]

    value, after = look("after")
    others = {key: half.reference(key)[1] for key in REFERENCES}
    if result.is_trained:
        others = {"untouched": look("before")[1], **others}
    better = 1 if half.metric.higher_is_better else -1
    against = {}
    for key, units in others.items():
        after_minus_before = half.metric.difference(before=dict(units.either), after=dict(after.either))
        low, high = sorted((better * after_minus_before.low, better * after_minus_before.high))
        change = Change(difference=better * after_minus_before.value, low=low, high=high)
        against[key] = ByDistance(change, change)
    return value, against


def run_candidate(folder: RunFolder, request: TrainCandidate, progress: Progress) -> None:
    """Continue from its checkpoint to the end of the rung; its seconds are those of this rung alone."""
    find = Find.open(request.find)
    settings = asked_of(find)
    workshop = CorpusWorkshop(find, settings, load_corpus(settings.corpus, progress=progress), progress)
    candidate = results_of(find).candidate(request.key)
    look = workshop.trainings.one(candidate, request.rung, is_kept=True)
    write_units(find, candidate.key, request.rung, look.units)
    point = RungResult(rung=request.rung, steps=look.steps, seconds=round(look.seconds, 3), value=look.value)
    write_json(folder.result, TrainedRung(point=point, planned=look.planned).model_dump(mode="json"))
