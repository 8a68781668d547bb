"""A run as one HTML file that replays it offline."""

from pathlib import Path

from embedlab.corpora.base import open_corpus
from embedlab.runs.folder import RunFolder
from embedlab.runs.replay import replay_content, replay_page
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import whole_file, write_json


def run(folder: RunFolder, asked: dict, progress) -> None:
    """``run`` and ``with_texts`` -> ``replay.html`` in this job's folder."""
    progress("Writing the replay")
    told = write_replay(open_run(asked["run"]), folder.replay, with_texts=asked["with_texts"])
    write_json(folder.result, told)


def write_replay(told: RunFolder, out: Path, *, with_texts: bool) -> dict:
    """Write the file; ``{run, out, texts, points, bytes}``: how many texts are in it, and how many points."""
    content = replay_content(told, open_corpus(fingerprint_of(told)), with_texts=with_texts)
    with whole_file(out) as beside:
        beside.write_bytes(replay_page(content))
    texts = len(content["texts"]) if with_texts else 0
    return {"run": told.id, "out": str(out), "texts": texts, "points": content["points"], "bytes": out.stat().st_size}
