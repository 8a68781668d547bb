"""The map before of a run, drawn while it trains: what the untouched encoder says of the texts is known by then."""

from embedlab.maps import MAPS
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import open_run
from embedlab.store_root import write_json
from embedlab.tasks.map_drawing import Drawing, draw_before
from embedlab.tasks.map_reading import read_before
from embedlab.tasks.movement import floor_before

WORTH_IT = 5_000  # texts; fewer are drawn in the time that a process takes to start


def run(folder: RunFolder, asked: dict, progress) -> None:
    """``of`` (a run; not ``run``, beside whose training this keeps to one thread) -> its map before, and what it tells.

    Trust, clusters and the noise floor of the untouched encoder are known as soon; the maps find all of it.
    """
    method = MAPS["tsne"]
    drawing = Drawing(open_run(asked["of"]), method, method.config_class(), progress)
    draw_before(drawing)
    read_before(drawing.drawn, method.key, progress)
    floor_before(drawing.drawn, progress)
    write_json(folder.result, {"run": drawing.drawn.id, "method": method.key})
