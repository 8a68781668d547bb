"""The maps of a run, before and after: the map before is drawn once per encoder and corpus and never moves."""

from embedlab.config import validated
from embedlab.jobs.requests.drawing import AlignMaps, DrawMapBefore, DrawMaps
from embedlab.maps import MAPS
from embedlab.progress import in_words
from embedlab.runs.drawn_map import is_drawn_onto, read_map_facts
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import open_run
from embedlab.store_root import write_json
from embedlab.tasks.draw.drawing import Drawing, draw_before, draw_both, draw_onto
from embedlab.tasks.draw.movement import floor_before
from embedlab.tasks.draw.readings import read_before


def run(folder: RunFolder, request: DrawMaps, progress) -> None:
    """Two Parquet files in the run's folder; a large corpus is drawn as a preview first, which they grow out of."""
    from embedlab.tasks.draw.readings import read_maps

    method = MAPS[request.method]
    config = validated(method.config_class, request.config, where="map")
    drawing = Drawing(open_run(request.run), method, config, progress)
    other = None if request.onto in (None, request.run) else open_run(request.onto)
    if other is not None:
        seconds = {"onto": draw_onto(drawing, other)}
    else:
        seconds = draw_both(drawing)
    read_maps(drawing.drawn, method.key, progress, **({} if other is None else {"against": other.id}))
    facts = {"run": drawing.drawn.id, "method": method.key, "texts": len(drawing.kept), "seconds": seconds}
    paths = [drawing.drawn.map_facts(name, method.key) for name in ("before", "after")] if other is None else []
    for drawn in map(read_map_facts, paths):
        if drawn.approximate:
            facts |= drawn.model_dump(include={"approximate", "recall_15", "queries"})
    write_json(folder.result, facts | ({} if other is None else {"onto": other.id}))


WORTH_IT = 5_000  # texts; fewer are drawn in the time that a process takes to start


def run_before(folder: RunFolder, request: DrawMapBefore, progress) -> None:
    """The map before of a run, and what it tells.

    Trust, clusters and the noise floor of the untouched encoder are known as soon; the maps find all of it.
    """
    method = MAPS["tsne"]
    drawing = Drawing(open_run(request.of), method, method.config_class(), progress)
    draw_before(drawing)
    read_before(drawing.drawn, method.key, progress)
    floor_before(drawing.drawn, progress)
    write_json(folder.result, {"run": drawing.drawn.id, "method": method.key})


def run_gallery(folder: RunFolder, request: AlignMaps, progress) -> None:
    """Maps in these runs' folders; what is there stays."""
    runs, method = [open_run(run_id) for run_id in request.runs], request.method
    first, made = runs[0], []
    for number, one in enumerate(runs, start=1):
        of_one = in_words(progress, f"Map {number} of {len(runs)}: {{}}".format)
        if not one.map_facts("after", method).exists():
            run(folder, DrawMaps(run=one.id, method=method), of_one)
            made.append(one.id)
        if not is_drawn_onto(one, first, method):
            run(folder, DrawMaps(run=one.id, method=method, onto=first.id), of_one)
            made.append(one.id)
    write_json(folder.result, {"method": method, "runs": list(request.runs), "drawn": list(dict.fromkeys(made))})
