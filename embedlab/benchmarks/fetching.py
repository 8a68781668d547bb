"""One data set of the hub at its pinned commit: every file of it in the Hugging Face cache, or why not.

File by file: the bar of ``snapshot_download`` learns a file's size only when that file begins, so it has no total.
"""

from pathlib import Path

from embedlab.errors import CorpusError, NetworkError
from embedlab.hub import connection, endpoint, listing
from embedlab.hub_cache import cached_dataset, hub_cache, keep_list, listed_files
from embedlab.progress import Progress, silent


def dataset_folder(dataset: str, revision: str, progress: Progress = silent, *, under: str = "") -> Path:
    """The folder with the data set's files, fetched where they are not all here; of ``under``, its tables alone.

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
    progress(f"Asking for {dataset}")
    with connection(dataset):
        from huggingface_hub import hf_hub_download

        _, files = listing("dataset", dataset, revision)
        if under:
            files = [file for file in files if file.path.startswith(f"{under}/") and file.path.endswith(".parquet")]
        keep_list(dataset, revision, sorted(file.path for file in files), under)
        total, done = sum(file.size for file in files), 0
        where = {"repo_type": "dataset", "revision": revision, "cache_dir": hub_cache(), "endpoint": endpoint()}
        for file in files:
            progress(f"Downloading {dataset} ({total / 2**20:,.1f} MiB)", done, total)
            hf_hub_download(dataset, file.path, **where)
            done += file.size
    folder = cached_dataset(dataset, revision, under)
    if folder is None:
        raise NetworkError("E-NO-NETWORK", f"{dataset} was fetched at {revision}, but holds no data. Try it again.")
    return folder
