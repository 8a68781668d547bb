"""A run's encoder, or any other, on a named set of public tasks."""

from embedlab.benchmarks import BENCHMARKS
from embedlab.benchmarks.base import BenchmarkSet
from embedlab.benchmarks.mteb import Adapter
from embedlab.benchmarks.run import chosen_tasks, run_tasks
from embedlab.comparison.published import published_values
from embedlab.device import choose_device
from embedlab.encoders.encoder import Encoder
from embedlab.encoders.load import load_encoder
from embedlab.errors import SettingsError
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
    if (missing := benchmark.not_installed) is not None:
        raise SettingsError("E-NOT-INSTALLED", missing)
    tasks = chosen_tasks(benchmark, list(request.tasks))
    measured = None if request.run is None else open_run(request.run)
    encoder, name, reference, recipe = _subject(request, measured, progress)
    device = choose_device("auto").name
    adapter = Adapter(encoder.to(device), name=name, device=device, progress=progress)
    if measured is not None:
        keep_pointer(measured, request.state, adapter.vectors_hash)
    result = run_tasks(adapter, benchmark, tasks, folder=request.folder)
    published = printed_beside(benchmark, reference, recipe)
    about = {"run": request.run, "encoder": request.encoder, "published": published}
    write_json(folder.result, result.model_dump(exclude_unset=True) | about)


def _subject(
    request: MeasureBenchmark, measured: RunFolder | None, progress: Progress
) -> tuple[Encoder, str, str | None, str | None]:
    """The encoder, its name for mteb, and the encoder and recipe of the paper's row that corresponds to it."""
    if measured is None:
        reference = request.encoder
        assert reference is not None, "a benchmark is of a run or of an encoder"
        return load_encoder(reference, progress=progress), reference.replace("/", "-"), reference, "untouched"
    settings, is_after = stored_request(measured).settings, request.state == "after"
    name, recipe = (measured.id, settings.get("recipe")) if is_after else (f"{measured.id}-before", "untouched")
    return encoder_of_run(measured, request.state), name, settings.get("encoder"), recipe


def printed_beside(
    benchmark: BenchmarkSet, encoder: str | None, recipe: str | None
) -> list[dict[str, str | float | None]]:
    """Values that papers print on this set for the same encoder and recipe, as shares."""
    if encoder is None:
        return []
    rows = published_values(benchmark=benchmark.key, encoder=encoder, recipe=recipe, setting="")
    return [
        {"task": row.task, "model": row.model, "value": row.share, "paper": row.paper, "table": row.table}
        for row in rows
    ]
