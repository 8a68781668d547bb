"""One data set of the hub at its pinned commit: every file of it in the Hugging Face cache, or why not."""

import os
from pathlib import Path

from embedlab.corpora.dataset_cache import cached_dataset, hub_cache, keep_list, listed_files
from embedlab.corpora.network import no_network, refuse_offline
from embedlab.errors import NetworkError
from embedlab.progress import Progress, silent


def dataset_folder(dataset: str, revision: str, progress: Progress = silent) -> Path:
    """The folder with the data set's files, fetched where they are not all here.

    Files that others fetched may be a part only; without a connection they are taken as they are, and mteb refuses
    what it misses.
    """
    here = cached_dataset(dataset, revision)
    if here is not None and listed_files(dataset, revision) is not None:
        return here
    try:
        return _fetched(dataset, revision, progress)
    except NetworkError:
        if here is None:
            raise
        return here


def _fetched(dataset: str, revision: str, progress: Progress) -> Path:
    refuse_offline(dataset)
    from huggingface_hub import HfApi, hf_hub_download
    from huggingface_hub.errors import HTTPError  # of whichever client the library is built on

    endpoint = os.environ.get("HF_ENDPOINT")
    progress(f"Asking for {dataset}")
    try:
        found = HfApi(endpoint=endpoint).dataset_info(dataset, revision=revision, files_metadata=True)
        files = {file.rfilename: file.size or 0 for file in found.siblings or []}
        keep_list(dataset, revision, sorted(files))
        total, done = sum(files.values()), 0
        for name, size in files.items():
            progress(f"Downloading {dataset} ({total / 2**20:,.1f} MiB)", done, total)
            hf_hub_download(
                dataset, name, repo_type="dataset", revision=revision, cache_dir=hub_cache(), endpoint=endpoint
            )
            done += size
    except (OSError, HTTPError) as error:
        raise no_network(dataset, error) from None
    folder = cached_dataset(dataset, revision)
    if folder is None:
        raise NetworkError("E-NO-NETWORK", f"{dataset} was fetched at {revision}, but holds no data. Try it again.")
    return folder
