"""The job of one candidate and one rung, on a machine of its own: what it gave, for the Find that waits for it."""

from embedlab.corpora import load_corpus
from embedlab.finds.look import write_units
from embedlab.finds.model import Point
from embedlab.finds.store import open_find, results_of
from embedlab.jobs.campaigns import asked_of
from embedlab.jobs.requests.working import TrainCandidate
from embedlab.runs.folder import RunFolder
from embedlab.store_root import write_json
from embedlab.tasks.find.workshop import CorpusWorkshop


def run(folder: RunFolder, request: TrainCandidate, progress) -> None:
    """From where its checkpoint stands to the end of the rung; its seconds are those of this rung alone."""
    find = open_find(request.find)
    settings = asked_of(find)
    corpus = load_corpus(settings.corpus, progress=progress)
    workshop = CorpusWorkshop(find, settings, corpus, progress)
    candidate = results_of(find).candidate(request.key)
    look = workshop.trainings.one(candidate, request.rung, is_kept=True)
    write_units(find, candidate.key, request.rung, look.units)
    point = Point(rung=request.rung, steps=look.steps, seconds=round(look.seconds, 3), value=look.value)
    write_json(folder.result, {"point": point.model_dump(mode="json"), "planned": look.planned})
