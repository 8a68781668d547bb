"""The maps of several runs in one frame, one after the other, so that they can stand side by side."""

from embedlab.runs.folder import RunFolder
from embedlab.runs.frames import is_drawn_onto
from embedlab.runs.store import open_run
from embedlab.store_root import write_json
from embedlab.tasks.map import run as draw


def run(folder: RunFolder, asked: dict, progress) -> None:
    """``runs``, the first of them the frame, and ``method`` -> maps in these runs' folders; what is there stays."""
    runs, method = [open_run(run_id) for run_id in asked["runs"]], asked["method"]
    first, made = runs[0], []
    for number, one in enumerate(runs, start=1):

        def said(stage: str, done: int = 0, total: int = 0, number: int = number) -> None:
            progress(f"Map {number} of {len(runs)}: {stage}", done, total)

        if not one.map_facts("after", method).exists():
            draw(folder, {"run": one.id, "method": method}, said)
            made.append(one.id)
        if not is_drawn_onto(one, first, method):
            draw(folder, {"run": one.id, "method": method, "onto": first.id}, said)
            made.append(one.id)
    write_json(folder.result, {"method": method, "runs": asked["runs"], "drawn": list(dict.fromkeys(made))})
