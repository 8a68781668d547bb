"""Read a file, a folder or the installed documentation into the store."""

from embedlab.config import validated
from embedlab.corpora import Reading, load_corpus
from embedlab.runs.folder import RunFolder
from embedlab.store_root import write_json


def run(folder: RunFolder, asked: dict, progress) -> None:
    """``reference`` and ``reading`` -> a stored corpus; its fingerprint is the result."""
    corpus = load_corpus(asked["reference"], validated(Reading, asked.get("reading", {})), progress=progress)
    write_json(folder.result, {"fingerprint": corpus.info.fingerprint, "corpus": corpus.info.model_dump(mode="json")})
