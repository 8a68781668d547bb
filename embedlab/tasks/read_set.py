"""Read an evaluation set from files into the store."""

from embedlab.corpora.set_files import read_set
from embedlab.runs.folder import RunFolder
from embedlab.store_root import write_json


def run(folder: RunFolder, asked: dict, progress) -> None:
    """``path``, ``documents``, ``split``, ``scale``, ``name``, ``file_name`` -> a stored set.

    Its fingerprint is the result; ``file_name`` is what the user calls the file of an upload.
    """
    scale = tuple(asked["scale"]) if asked.get("scale") else None
    found = read_set(
        asked["path"],
        documents=asked.get("documents"),
        split=asked.get("split"),
        scale=scale,
        name=asked.get("name", ""),
        file_name=asked.get("file_name", ""),
        progress=progress,
    )
    write_json(folder.result, {"fingerprint": found.fingerprint, "set": found.info.model_dump(mode="json")})
