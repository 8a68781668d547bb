"""A figure for a paper: what it shows and how large it is, drawn by a worker, then seen and downloaded."""

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.corpora.hand_labels import shown_names
from embedlab.jobs.requests.drawing import DrawFigure
from embedlab.numbers import counted
from embedlab.runs.drawn_map import right_map
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import read_job_result
from embedlab.ui.components.data.selection_choice import open_one
from embedlab.ui.components.pair_of_maps import Compared
from embedlab.ui.frame.job_panel import job_panel
from embedlab.ui.frame.text import escaped, in_bytes

FORMATS = {"pdf": "PDF", "svg": "SVG", "png": "PNG"}
MIMES = {"pdf": "application/pdf", "svg": "image/svg+xml", "png": "image/png"}
WIDTHS = {85.0: "One column, 85 mm", 174.0: "Two columns, 174 mm", None: "Other width"}
NAMES = {"map": "On the map", "legend": "In a legend", "none": "None"}
_ABOUT = (
    "Points are one image per map, at the chosen resolution; labels, frame and legend are vectors, and text stays "
    "text. Class colours are those of the light theme. The same map gives the same bytes."
)


def figure_section(view: Compared, corpus: Corpus, method: str) -> None:
    """The choices, the button, and the figure once it is drawn."""
    asked = {"run": view.run.id, "method": method, "against": view.against}
    asked["left_title"], asked["right_title"] = (title[:300] for title in view.titles)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        maps = {"both": "Both", "left": view.titles[0], "right": view.titles[1]}
        asked["maps"] = _switch("Maps", maps, "both", "maps")
        asked["format"] = _switch("Format", FORMATS, "pdf", "format")
        width = st.selectbox("Width", list(WIDTHS), format_func=WIDTHS.get, index=1, width=200, key="figure.width",
                             persist_state="session")  # fmt: skip
    asked |= _advanced(corpus, own_width=width is None)
    asked["width_mm"] = asked["width_mm"] if width is None else width
    request = DrawFigure(**asked)
    job_panel(request, start="Draw the figure", key="figure.draw", show=lambda job: _drawn(job, view, request),
              is_outdated=lambda job: _is_outdated(job, view, method))  # fmt: skip
    st.caption(_ABOUT)


def _switch(label: str, options: dict, default: str, key: str) -> str:
    return st.segmented_control(label, list(options), format_func=options.get, default=default, required=True,
                                key=f"figure.{key}", persist_state="session")  # fmt: skip


def _advanced(corpus: Corpus, *, own_width: bool) -> dict:
    """Names, resolution, title and caption; of an opened selection whether it alone is coloured."""
    with st.expander("Advanced", expanded=own_width), st.container(horizontal=True, vertical_alignment="bottom"):
        found = {"names": _switch("Class names", NAMES, "map", "names") if shown_names(corpus) else "none"}
        found["width_mm"] = float(st.number_input("Other width (mm)", 30, 500, 120, key="figure.mm", width=150,
                                                  disabled=not own_width, persist_state="session"))  # fmt: skip
        found["dpi"] = int(st.number_input("Resolution (dots per inch)", 72, 1200, 300, key="figure.dpi", width=190,
                                           persist_state="session"))  # fmt: skip
        found["title"] = st.text_input("Title", key="figure.title", max_chars=300, width=260, placeholder="None",
                                       persist_state="session").strip()  # fmt: skip
        found["caption"] = st.toggle("Method, seed and measure below", True, key="figure.caption",
                                     persist_state="session")  # fmt: skip
        selection = open_one(corpus)
        only = selection is not None and st.toggle(
            f"Only “{escaped(selection.name, 40)}” in colour", key="figure.selection"
        )
        found["selection"] = selection.id if only else ""
    return found


def _drawn(job: RunFolder, view: Compared, request: DrawFigure) -> None:
    """The figure, small, and its download."""
    result = read_job_result(job)
    file = job.path / result["file"]
    size = f"{request.width_mm:g} × {request.width_mm * result['height'] / result['width']:.0f} mm"
    with st.container(horizontal=True, vertical_alignment="center"):
        name = f"map-{request.method}-{view.run.id}.{request.format}"
        st.download_button(f"Download {FORMATS[request.format]}", file.read_bytes, name, MIMES[request.format],
                           key="figure.download", on_click="ignore")  # fmt: skip
        line = f"{size}, {in_bytes(result['bytes'])}, {counted(result['texts'], 'text')} on a map."
        st.caption(line)
    if result["unseen"]:
        line = f"No font on this computer has {result['unseen'][:20]}: boxes are drawn instead. SVG keeps them."
        st.caption(escaped(line, 300))
    st.image(str(job.path / "preview.png"), width=min(int(5.2 * request.width_mm), 1000),
             alt=f"The figure: {counted(result['texts'], 'text')} on a map.")  # fmt: skip


def _is_outdated(job: RunFolder, view: Compared, method: str) -> bool:
    """Whether the right map was drawn anew since."""
    right, _ = right_map(view.run, view.against, view.other, method)
    return right.exists() and right.stat().st_mtime > job.settings.stat().st_mtime
