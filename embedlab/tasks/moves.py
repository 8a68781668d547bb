"""What moved between two encoders of one corpus, measured when somebody asks; also for runs that were drawn earlier."""

from embedlab.corpora.base import open_corpus
from embedlab.runs.folder import RunFolder
from embedlab.runs.frames import UNTOUCHED
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import write_json
from embedlab.tasks.map_reading import drawn_methods, read_picture
from embedlab.tasks.map_reading import read_maps as read
from embedlab.tasks.movement import Side, write_moves


def run(folder: RunFolder, asked: dict, progress) -> None:
    """``run`` and ``against`` (before, or another run's id) -> ``moves/`` in that run's folder, and clusters and trust.

    ``again`` measures anew what is there.
    """
    drawn, against = open_run(asked["run"]), asked.get("against", UNTOUCHED)
    methods = drawn_methods(drawn)
    read(drawn, methods[0] if methods else "tsne", progress, against=against)
    if asked.get("again"):
        write_moves(drawn, against, progress)
    corpus = open_corpus(fingerprint_of(drawn))
    for method in methods[1:]:
        for name in ("before", "after"):
            read_picture(Side(drawn, name), drawn.map(name, method), corpus, progress)
    write_json(folder.result, {"run": drawn.id, "against": against})
