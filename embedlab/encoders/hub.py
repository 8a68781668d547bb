"""A hub encoder at a pinned commit: allow-listed files only, into the store, and offline from then on."""

import os
import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from embedlab.encoder_catalog.catalog import stored_copy
from embedlab.encoder_catalog.facts import EncoderFacts
from embedlab.encoders.folder_files import ALLOWED, judge, no_weights, optional_json_object
from embedlab.encoders.folder_format import facts_of_stranger, read_modules
from embedlab.encoders.tokenizer_files import require_tokenizer
from embedlab.errors import EncoderError
from embedlab.hub import (
    HubFile,
    HubName,
    cached_model,
    connection,
    download_file,
    listing,
    pull_requests,
    split_reference,
)
from embedlab.limits import LIMITS
from embedlab.progress import Progress, silent
from embedlab.scratch import scratch_folder
from embedlab.store_root import store_root, whole_folder

_ADVICE = (
    "Connect and fetch it once, or choose token, scratch:bert-mini or a folder on this machine, which need no "
    "connection."
)


Door = Callable[[Path], object]  # reads the small files of a folder, and refuses what it could not load


def fetch_encoder(
    reference: str, *, progress: Progress = silent, largest_bytes: int | None = None, reads: Door | None = None
) -> Path:
    """The store's folder of ``owner/name`` or ``owner/name@revision``, downloaded when it is not there yet.

    Without a revision the stored copy is kept: a name that moves on the hub never changes a run made here. What other
    libraries fetched into the hub's cache is taken from there, without a connection. ``reads`` judges the small files
    before weights are fetched; by default the door of encoders.
    """
    name = hub_name(reference)
    if (folder := stored(name)) is not None:
        return folder
    if (cached := cached_model(name)) is not None and _is_whole(cached[1]):
        return _from_cache(name, *cached)
    return _fetched(name, reference, progress, largest_bytes, _door if reads is None else reads)


def update_encoder(reference: str, *, progress: Progress = silent) -> tuple[Path, str | None]:
    """The newest copy of a name on the hub, and the commit that was stored before; runs made from that keep it."""
    name = hub_name(reference)
    before = stored(name)
    return _fetched(name, reference, progress, None, _door), None if before is None else before.name.rpartition("@")[2]


def _fetched(name: HubName, reference: str, progress: Progress, largest_bytes: int | None, reads: Door) -> Path:
    largest = 4 * LIMITS.encoder_parameters if largest_bytes is None else largest_bytes
    with connection(f"hf:{name.repository}", absent=partial(_absent, reference), advice=_ADVICE):
        return _download(name, progress, largest, reads)


def _door(folder: Path) -> None:
    """Refuse a folder by its modules and configuration alone, as long as its weights are not there."""
    first = read_modules(folder)[0]
    if first.kind == "Transformer":
        from embedlab.encoders.transformer_config import read_config  # transformers takes seconds to import

        read_config(first.folder)


def hub_name(reference: str) -> HubName:
    """owner/name[@revision] taken apart; anything else is refused."""
    name = split_reference(reference)
    if name is None:
        raise EncoderError(
            "E-ENCODER-ID",
            "A hub encoder must be hf:owner/name or hf:owner/name@ with a branch, tag or commit, but found "
            f"{('hf:' + reference)[:120]!r}. Copy the name from the head of its hub page.",
        )
    return name


def stored(name: HubName) -> Path | None:
    """The newest stored copy of a name; of the very revision where one is given."""
    copy = stored_copy("@".join(filter(None, name)))
    return None if copy is None else copy.folder


def _download(name: HubName, progress: Progress, largest: int, reads: Door) -> Path:
    called = f"hf:{name.repository}"
    progress(f"Asking the hub for {name.repository}")
    commit, listed = listing("model", name.repository, name.revision or "main")
    files = _allowed(listed)
    named = commit  # by its branch or tag
    if not any(path.endswith(".safetensors") for path in files) and "adapter_config.json" not in files:
        with scratch_folder() as small:  # what it is comes before what its weights are
            for path in filter(_is_small, files):
                download_file("model", name.repository, commit, files[path], small / path, lambda *_: None)
            judge(called, small, files)
        commit, files = _conversion(name, otherwise=no_weights(called, [file.path for file in listed]))
    folder = store_root() / "encoders" / f"{name.repository.replace('/', '--')}@{commit}"
    if folder.is_dir():  # the same commit, which was here already: it is up to date from now on
        os.utime(folder)
        return folder
    total = sum(file.size for file in files.values())
    stage = f"Downloading {name.repository} ({total / 1e6:,.1f} MB)"
    with whole_folder(folder) as temporary:
        hashes: dict[str, str] = {}
        done = 0
        for path in sorted(files, key=lambda path: not _is_small(path)):  # what is judged comes first
            if not _is_small(path) and all(map(_is_small, hashes)):
                _require_fit(called, temporary, files, reads, largest)
            report = partial(_say, progress, stage, done, total)
            hashes[path] = download_file("model", name.repository, commit, files[path], temporary / path, report)
            done += files[path].size
        converted_from = named if named != commit else None
        facts = EncoderFacts(commit=commit, converted_from=converted_from, sha256=hashes)
        _write_facts(temporary, name, facts)
    return folder


def _is_small(path: str) -> bool:
    """Whether a file is fetched before the weights, to be judged."""
    return path.endswith(".json") and not path.endswith(("tokenizer.json", "vocab.json"))


def _require_fit(called: str, folder: Path, files: dict[str, HubFile], reads: Door, largest: int) -> None:
    """Refuse what could not be loaded, by the small files that are in ``folder``, before the weights are fetched."""
    judge(called, folder, files)
    try:
        reads(folder)
    except EncoderError as error:  # while it is fetched its folder has another name
        raise EncoderError(error.code, str(error).replace(folder.name, called)) from None
    if reads is _door:  # of an encoder, not of a language model
        require_tokenizer(called, files)
    if (total := sum(file.size for file in files.values())) > largest:
        raise EncoderError(
            "E-MODEL-SIZE",
            f"An encoder of at most {largest / 1e9:.0f} GB is needed, but {called} has {total / 1e9:.0f} GB. Choose a "
            "smaller one.",
        )


def _write_facts(folder: Path, name: HubName, facts: EncoderFacts) -> None:
    """Where it came from, and what an embedlab.json of its own says of how it is read."""
    theirs = facts_of_stranger(folder)
    of_hub = {"hub_id": name.repository, "revision": name.revision or "main"}
    facts.model_copy(update={"pooling": theirs.pooling, "max_length": theirs.max_length, **of_hub}).write(folder)


def _is_whole(folder: Path) -> bool:
    """Whether a folder of the hub's cache has configuration and weights, and not a part of them alone."""
    weights = [path for path in folder.glob("*.safetensors") if path.is_file()]  # a broken link is no file
    index = optional_json_object(folder / "model.safetensors.index.json").get("weight_map")
    shards = set(index.values()) if isinstance(index, dict) else {"model.safetensors"}
    return (folder / "config.json").is_file() and shards <= {path.name for path in weights}


def _from_cache(name: HubName, commit: str, cached: Path) -> Path:
    """The allowed files of a folder of the hub's cache, in the store."""
    folder = store_root() / "encoders" / f"{name.repository.replace('/', '--')}@{commit}"
    with whole_folder(folder) as temporary:
        for path in cached.rglob("*"):
            inner = path.relative_to(cached).as_posix()
            if path.is_file() and ALLOWED.fullmatch(inner):
                (temporary / inner).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, temporary / inner)
        _write_facts(temporary, name, EncoderFacts(commit=commit, from_cache=True))
    return folder


def _allowed(listed: list[HubFile]) -> dict[str, HubFile]:
    """The files that are taken, by their paths."""
    files = {file.path: file for file in listed if ALLOWED.fullmatch(file.path)}
    if "model.safetensors" in files:  # a sharded copy beside it is the same weights again
        files = {path: file for path, file in files.items() if not re.match(r"model-|model\.safetensors\.index", path)}
    return files


def _conversion(name: HubName, *, otherwise: EncoderError) -> tuple[str, dict[str, HubFile]]:
    """The repository's safetensors conversion: a pull request of the hub's own converter, at its commit."""
    for number in pull_requests(name.repository, "SFconvertbot"):
        commit, listed = listing("model", name.repository, f"refs/pr/{number}")
        files = _allowed(listed)
        if "model.safetensors" in files:
            return commit, files
    raise otherwise


def _say(progress: Progress, stage: str, before: int, total: int, got: int, _of: int) -> None:
    progress(stage, before + got, total)


def _absent(reference: str, status: int) -> EncoderError:
    return EncoderError(  # the hub says 401 for what is private and for what is not there at all
        "E-UNKNOWN-ENCODER",
        f"hf:{reference} was requested, but the hub has no such encoder, or it is not public ({status}). "
        "Check its name; for a gated one accept its terms there and log in on the machine that does the work, "
        "because embedlab passes on no token: hf auth login, or HF_TOKEN in the environment of its workers.",
    )
