"""A run's encoder, or any other, on a named set of public tasks."""

from typing import Any

from embedlab.benchmarks import BENCHMARKS
from embedlab.benchmarks.base import BenchmarkSet
from embedlab.benchmarks.mteb import Adapter
from embedlab.benchmarks.run import chosen_tasks, run_tasks
from embedlab.comparison.published import published_values
from embedlab.device import choose_device
from embedlab.encoders.encoder import Encoder
from embedlab.encoders.load import load_encoder
from embedlab.jobs.requests.measuring import MeasureBenchmark
from embedlab.progress import Progress
from embedlab.runs.benchmark_scores import keep_pointer
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import open_run, stored_request
from embedlab.store_root import write_json
from embedlab.tasks.encoders import encoder_of_run


def run(folder: RunFolder, request: MeasureBenchmark, progress: Progress) -> None:
    """Scores are stored under the hash of the encoder; ``result.json`` holds the set's summary."""
    benchmark = BENCHMARKS[request.set]
    tasks = chosen_tasks(benchmark, list(request.tasks))
    encoder, name, measured = _encoder(request, progress)
    device = choose_device("auto").name
    progress("Loading mteb")
    adapter = Adapter(encoder.to(device), name=name, device=device, progress=progress)
    if measured is not None:
        revision = adapter.mteb_model_meta.revision
        assert revision is not None, "the adapter names it by the encoder's weights"
        keep_pointer(measured, request.state, revision)
    result = run_tasks(adapter, benchmark, tasks, folder=request.folder)
    published = printed_beside(benchmark, *_encoder_and_recipe(request, measured))
    about = {"run": request.run, "encoder": request.encoder, "published": published}
    write_json(folder.result, result.model_dump(exclude_unset=True) | about)


def _encoder_and_recipe(request: MeasureBenchmark, measured: RunFolder | None) -> tuple[str | None, str | None]:
    """Those of the paper's row that corresponds to it: the run's, or an untouched encoder's."""
    if measured is None:
        return request.encoder, "untouched"
    settings = stored_request(measured).settings
    return settings.get("encoder"), settings.get("recipe") if request.state == "after" else "untouched"


def _encoder(request: MeasureBenchmark, progress: Progress) -> tuple[Encoder, str, RunFolder | None]:
    """The encoder, its name for mteb, and its run."""
    if request.run is not None:
        measured, state = open_run(request.run), request.state
        return encoder_of_run(measured, state), measured.id if state == "after" else f"{measured.id}-before", measured
    assert request.encoder is not None, "a benchmark is of a run or of an encoder"
    return load_encoder(request.encoder, progress=progress), request.encoder.replace("/", "-"), None


def printed_beside(benchmark: BenchmarkSet, encoder: str | None, recipe: str | None) -> list[dict[str, Any]]:
    """Values that papers print on this set for the same encoder and recipe, as shares."""
    if encoder is None:
        return []
    rows = published_values(benchmark=benchmark.key, encoder=encoder, recipe=recipe, setting="")
    return [
        {"task": row.task, "model": row.model, "value": row.share, "paper": row.paper, "table": row.table}
        for row in rows
    ]
