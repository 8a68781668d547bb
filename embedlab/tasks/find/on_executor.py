"""Candidates submitted to an executor, several at once: each rung of each is a job in a folder of the Find."""

import time
from collections.abc import Callable, Iterator

from embedlab.damage import read_model
from embedlab.errors import EmbedlabError
from embedlab.finds.look import Attempt, Begin, CandidateLook, read_units
from embedlab.finds.model import Candidate, RungResult
from embedlab.finds.store import Find
from embedlab.jobs.executors import Executor
from embedlab.jobs.requests.working import TrainCandidate
from embedlab.jobs.runner import POLL_SECONDS, is_over, resume, start, stop_all
from embedlab.measurement import ResultPart
from embedlab.progress import Progress
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import State, read_state
from embedlab.runs.store import create_run_at


class TrainedRung(ResultPart):
    """The result of a rung's job."""

    point: RungResult
    planned: int | None  # steps to the end of the last rung


class OnExecutor:
    """The trainings of one Find's rungs."""

    def __init__(self, find: Find, executor: Executor, progress: Progress):
        self.find, self.executor, self.progress = find, executor, progress

    def train(
        self, candidates: list[Candidate], rung: int, begin: Begin, left: Callable[[], float]
    ) -> Iterator[tuple[Candidate, Attempt, float]]:
        """As many at once as there is room for; the budget is charged wall-clock seconds."""
        waiting, began = list(candidates), time.perf_counter()
        working: dict[str, tuple[Candidate, RunFolder]] = {}
        at_once = 1
        try:
            while waiting or working:
                while waiting and len(working) < at_once:
                    candidate = waiting.pop(0)
                    if begin(candidate):
                        job = self._begun(candidate, rung)
                        working[candidate.key] = candidate, job
                        at_once = max(at_once, self.executor.at_once(job))
                over = [key for key, (_, job) in working.items() if is_over(job)]
                is_late = not over and bool(working) and time.perf_counter() - began > left()
                if is_late:
                    stop_all([job for _, job in working.values()])
                    over = list(working)
                for key in over:
                    candidate, job = working.pop(key)
                    clock = time.perf_counter()
                    yield candidate, None if is_late else self._came_of(candidate, job, rung), clock - began
                    began = clock
                if not over:
                    self.progress(f"Rung {rung + 1}: {len(working)} running, {len(waiting)} waiting")
                    time.sleep(POLL_SECONDS)
        finally:
            stop_all([job for _, job in working.values()])

    def _begun(self, candidate: Candidate, rung: int) -> RunFolder:
        """Its job, started; a job of a killed Find is waited for or resumed."""
        job = self.find.training(candidate.key, rung)
        if not job.settings.exists():
            request = TrainCandidate(find=self.find.id, key=candidate.key, rung=rung)
            create_run_at(job.path, request.task, request.stored, name=f"{candidate.title}, rung {rung + 1}")
            return start(job, self.executor.key)
        if read_state(job).state not in (State.QUEUED, State.RUNNING, State.FINISHED):
            resume(job, self.executor.key)
        return job

    def _came_of(self, candidate: Candidate, job: RunFolder, rung: int) -> CandidateLook | str:
        facts = read_state(job)
        if facts.state is not State.FINISHED:
            return facts.error.message if facts.error else f"Its job is {facts.state}."
        try:
            trained = read_model(job.result, TrainedRung)
            units = read_units(self.find, candidate.key, rung)
        except (OSError, KeyError, ValueError, EmbedlabError) as error:
            return f"The output of its job cannot be read: {error}"
        point = trained.point
        return CandidateLook(point.value, units, point.seconds, steps=point.steps, planned=trained.planned)
