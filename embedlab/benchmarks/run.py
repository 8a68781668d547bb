"""Tasks one by one on one encoder; each score is stored when it is finished and not measured again."""

from functools import partial
from pathlib import Path

from embedlab.benchmarks import BENCHMARKS
from embedlab.benchmarks.base import BenchmarkSet, BenchmarkTask, DatasetNeed, TaskScore, needs_sentence
from embedlab.benchmarks.mteb import Adapter, find_task, mean_of_parts, read_from, score_task
from embedlab.benchmarks.sets import SciRepEvalTask
from embedlab.encoders.encoder import Encoder
from embedlab.errors import CorpusError, NetworkError, UnknownPartError, UserError
from embedlab.hub import cached_dataset, connection, endpoint, hub_cache, keep_list, listed_files, listing
from embedlab.numbers import mebibytes
from embedlab.progress import Progress, silent
from embedlab.runs.benchmark_scores import SetScores, StoredScore, keep_score, keep_summary, read_score, scores_folder
from embedlab.update import changing

Missing = tuple[DatasetNeed, UserError]  # a data set that could not be had, and why


class MeasuredSet(SetScores):
    """A set's scores once its tasks were run, and which data sets could not be had, also in a sentence."""

    missing: tuple[DatasetNeed, ...] = ()
    missing_sentence: str = ""


def chosen_tasks(benchmark: BenchmarkSet, keys: list[str]) -> tuple[BenchmarkTask, ...]:
    """The named tasks of a set, in its order; all if none is named."""
    names = [task.key for task in benchmark.tasks]
    for key in keys:
        if key not in names:
            raise UnknownPartError(
                "E-UNKNOWN-TASK", f"{benchmark.title} has no task {key!r}. Choose from: {', '.join(names)}."
            )
    return tuple(task for task in benchmark.tasks if not keys or task.key in keys)


def run_tasks(
    adapter: Adapter, benchmark: BenchmarkSet, tasks: tuple[BenchmarkTask, ...], *, folder: str | Path | None = None
) -> MeasuredSet:
    """Score what can be scored here; an error is raised only where nothing at all could be."""
    encoder_hash = adapter.vectors_hash
    missing: list[Missing] = []
    absent: list[CorpusError] = []  # tasks of USEB whose files are not in the folder
    for number, task in enumerate(tasks):
        adapter.progress(f"Task {number + 1} of {len(tasks)}: {task.key}")
        if benchmark.reader == "useb":
            try:
                _score_useb(adapter, benchmark, task, folder)
            except CorpusError as error:
                absent.append(error)
        elif isinstance(task, SciRepEvalTask):
            missing += _score_of_scirepeval_task(adapter, benchmark, task)
        else:
            missing += _score_mteb(adapter, task)
        _summarise(encoder_hash, benchmark)
    for other in BENCHMARKS:  # sets share tasks: what they come to is brought up to date
        _summarise(encoder_hash, other)
    summary = vars(summary_of(encoder_hash, benchmark))
    has_any = any(task.key in summary["scores"] for task in tasks)
    if absent:
        if not has_any:
            raise absent[0]
        summary["missing_sentence"] = f"Not measured: {len(absent)} of {len(tasks)} tasks. {absent[0].message}"
    if missing:
        needs = [need for need, _ in missing]
        sentence = f"{needs_sentence(needs)} {missing[0][1].message}"
        if not has_any:
            raise NetworkError("E-BENCHMARK-DATA", f"Nothing could be measured. {sentence}")
        summary |= {"missing": needs, "missing_sentence": f"Not measured: {sentence}"}
    return MeasuredSet(**summary)


def _score_mteb(adapter: Adapter, task: BenchmarkTask) -> list[Missing]:
    """Score a task, an aggregate part by part; returns what was missing."""
    encoder_hash = adapter.vectors_hash
    missing: list[Missing] = []
    parts = []
    for part in task.datasets:
        row = read_score(encoder_hash, part.key)
        if row is None or row.revision != part.revision:
            try:
                row = _scored(adapter, part)
            except (NetworkError, CorpusError) as error:
                missing.append((DatasetNeed.of(task, part), error))
                continue
            keep_score(encoder_hash, part.key, row)
        parts.append(row)
    if task.parts and not missing:
        keep_score(encoder_hash, task.key, mean_of_parts(task, parts))
    return missing


def _scored(adapter: Adapter, part: BenchmarkTask) -> StoredScore:
    task = find_task(part)
    if part.dataset:
        read_from(task, dataset_folder(part.dataset, part.revision, adapter.progress))
    try:
        row = score_task(adapter, task)
    finally:
        if task.data_loaded:
            task.unload_data()
    return row.model_copy(update={"dataset": part.dataset, "revision": part.revision, "texts": part.texts})


def _score_useb(adapter: Adapter, benchmark: BenchmarkSet, task: BenchmarkTask, folder: str | Path | None) -> None:
    from embedlab.benchmarks.useb import files_hash, missing_files, score_useb

    encoder_hash, name = adapter.vectors_hash, benchmark.stored_name(task)
    existing = read_score(encoder_hash, name)
    revision = None if folder is None or missing_files(task.key, folder) else files_hash(task.key, folder)
    if existing is not None and revision in (None, existing.revision):
        return

    score = score_useb(task.key, folder, partial(adapter.embedded, task=task.key))
    keep_score(encoder_hash, name, _stored(task, score, dataset="USEB", revision=revision or ""))


def _stored(task: BenchmarkTask, score: TaskScore, *, dataset: str, revision: str) -> StoredScore:
    return StoredScore(
        task=task.key,
        metric=task.metric,
        score=score.value,
        scores=score.parts,
        texts=score.texts,
        skipped=score.skipped,
        dataset=dataset,
        revision=revision,
    )


def _score_of_scirepeval_task(adapter: Adapter, benchmark: BenchmarkSet, task: SciRepEvalTask) -> list[Missing]:
    """Score a task; returns the folders of tables that were missing."""
    from embedlab.benchmarks.scirepeval import scirepeval_score

    encoder_hash, name = adapter.vectors_hash, benchmark.stored_name(task)
    existing = read_score(encoder_hash, name)
    if existing is not None and existing.revision == task.revision:
        return []
    folders: list[Path] = []
    missing: list[Missing] = []
    for part in task.datasets:
        try:
            folders.append(dataset_folder(part.dataset, part.revision, adapter.progress, under=part.under) / part.under)
        except (NetworkError, CorpusError) as error:
            missing.append((DatasetNeed.of(task, part), error))
    if missing:
        return missing
    separator, embedder = separator_of(adapter.encoder), partial(adapter.embedded, task=task.key)
    score = scirepeval_score(task, folders, embedder, separator=separator, progress=adapter.progress)
    keep_score(encoder_hash, name, _stored(task, score, dataset=task.dataset, revision=task.revision))
    return []


def separator_of(encoder: Encoder) -> str:
    """The string between title and abstract: the tokenizer's separator, as SciRepEval's authors join them."""
    separators = (token for token in ("[SEP]", "</s>") if encoder.tokenizer.token_to_id(token) is not None)
    separator = next(separators, "")
    return f" {separator} " if separator else " "


def summary_of(encoder_hash: str, benchmark: BenchmarkSet) -> SetScores:
    """Scores, groups and average as shares; the average is null until every task of the set has a score."""
    scores = {}
    for task in benchmark.tasks:
        row = read_score(encoder_hash, benchmark.stored_name(task))
        if row is not None and (benchmark.reader == "useb" or row.revision == task.revision):
            scores[task.key] = row.score
    averages = benchmark.average({key: 100 * score for key, score in scores.items()})
    return SetScores(
        set=benchmark.key,
        title=benchmark.title,
        encoder_hash=encoder_hash,
        scores=scores,
        groups={name: mean / 100 for name, mean in averages.groups.items()},
        average=None if averages.value is None else averages.value / 100,
        averaging=benchmark.averaging,
        tasks=len(benchmark.tasks),
    )


def _summarise(encoder_hash: str, benchmark: BenchmarkSet) -> None:
    """Store what a set comes to; another process may be adding scores of the same encoder."""
    with changing(scores_folder(encoder_hash)):
        if (summary := summary_of(encoder_hash, benchmark)).scores:
            keep_summary(summary)


def dataset_folder(dataset: str, revision: str, progress: Progress = silent, *, under: str = "") -> Path:
    """The folder of the data set's files, downloaded unless complete; with ``under`` only those tables.

    Files that others fetched may be a part only; without a connection they are taken as they are, and mteb refuses
    what it misses.
    """
    here = cached_dataset(dataset, revision, under)
    if here is not None and listed_files(dataset, revision, under) is not None:
        return here
    try:
        return _fetched(dataset, revision, progress, under)
    except (NetworkError, CorpusError):
        if here is None:
            raise
        return here


def _fetched(dataset: str, revision: str, progress: Progress, under: str) -> Path:
    progress(f"Requesting {dataset}")
    with connection(dataset):
        from huggingface_hub import hf_hub_download

        _, files = listing("dataset", dataset, revision)
        if under:
            files = [file for file in files if file.path.startswith(f"{under}/") and file.path.endswith(".parquet")]
        keep_list(dataset, revision, sorted(file.path for file in files), under)
        total, done = sum(file.size for file in files), 0
        download = partial(hf_hub_download, repo_type="dataset", revision=revision, cache_dir=hub_cache())
        for file in files:
            progress(f"Downloading {dataset} ({mebibytes(total)})", done, total)
            download(dataset, file.path, endpoint=endpoint())
            done += file.size
    folder = cached_dataset(dataset, revision, under)
    if folder is None:
        raise NetworkError("E-NO-NETWORK", f"{dataset} was downloaded at {revision}, but contains no data. Try again.")
    return folder
