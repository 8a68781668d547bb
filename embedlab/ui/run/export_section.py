"""What leaves a run: its encoder, other formats of it, embeddings and settings as files, and its way to the hub."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from embedlab.damage import read_bytes, read_model
from embedlab.encoder_catalog.facts import FACTS, read_saved_facts
from embedlab.hub_push import hub_token
from embedlab.jobs.requests.drawing import DrawFigure, ExportedEncoder, ExportEncoder, PushedRun, PushRun, WrittenFile
from embedlab.map_methods import OWN_MAP
from embedlab.numbers import counted, in_bytes
from embedlab.report import exports
from embedlab.report.loading_code import loading_lines
from embedlab.report.model_card import origins
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import has_only_places, is_own
from embedlab.runs.store import settings_of
from embedlab.runs.vectors import dim_of
from embedlab.ui.components.loaded_maps import is_untrained
from embedlab.ui.components.nearest import SIDES
from embedlab.ui.components.run_maps import is_drawing
from embedlab.ui.components.train_fields import copy_settings, edit_and_rerun
from embedlab.ui.frame.files import download, offer_file, offer_made
from embedlab.ui.frame.guard import has_sign_in, is_behind_proxy
from embedlab.ui.frame.layout import errors_shown, escaped
from embedlab.ui.frame.progress import awaited_job, is_newer, job_panel, session_id
from embedlab.ui.frame.state import corpus_of, dimensions_choice, named, shown_distance

MOST_ZIP = 2**30  # an encoder of BERT's size is sent too; of a larger one the page says where it lies


def show_encoder(run: RunFolder) -> None:
    """How it is loaded, its folder as a ZIP file, other formats and the hub; or why there is none."""
    if (why_not := exports.without_encoder(run)) is not None:
        st.write(why_not)
        return
    st.write("The fine-tuned encoder is a folder that loads without embedlab:")
    st.code(loading_lines(run.encoder), language="python", wrap_lines=True)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        dim = dim_of(run)
        dimensions = None if dim is None else dimensions_choice(dim)
        _encoder_button(run, dimensions)
    st.caption("With a model card: corpus, recipe, verdict, licenses, how to load it, and what to cite.")
    formats_section(run, dimensions)
    push_section(run)


def show_settings(run: RunFolder) -> None:
    """The result as JSON, and the settings as a command and a file."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if run.result.exists():
            download("Download the result as JSON", read_bytes(run.result), f"result-{run.id}.json", key="run.result")
        if not is_own(run) and (settings := settings_of(run)):
            copy_settings(settings, key=f"away.{run.id}")


def downloads_row(run: RunFolder) -> None:
    """Below the maps, what is wanted most: their figure, once they are drawn, the encoder, and the settings again."""
    method = OWN_MAP if has_only_places(run) else "tsne"
    right, waits = run.map("after", method), ""
    with st.container(horizontal=True, vertical_alignment="center"):
        if corpus_of(run) is not None:
            request = DrawFigure(
                run=run.id, method=method, maps="right" if is_untrained(run) else "both", distance=shown_distance()
            )
            make = partial(_figure_of_maps, request, session_id(), right)
            there, is_working = right.exists() and run.map("before", method).exists(), is_drawing(run, method)
            waits = WAITS[there, is_working]
            download(
                "Download this figure as PDF", make, f"map-{method}-{run.id}.pdf", key=f"result.figure-{run.id}",
                disabled=not there, help="Two columns wide, drawn when you press. Export has other formats and sizes.",
            )  # fmt: skip
        if exports.without_encoder(run) is None and exports.encoder_bytes(run) <= MOST_ZIP:
            _encoder_button(run, None)
        edit_and_rerun(run, name="rerun-result")
        if waits:
            st.caption(waits, width="content")


WAITS = {  # whether both maps are there, and whether they are being drawn -> what the figure waits for
    (True, False): "",
    (True, True): "The maps are being drawn again. Until then, the figure shows them as they are above.",
    (False, True): "The figure can be downloaded as soon as both maps are drawn.",
    (False, False): "The figure needs both maps: draw them first.",
}


def _figure_of_maps(request: DrawFigure, session: str, right: Path) -> bytes:
    job = awaited_job(request, session, partial(is_newer, right))
    return read_bytes(job.path / read_model(job.result, WrittenFile).file)


def _encoder_button(run: RunFolder, dimensions: int | None) -> None:
    """The ZIP file is made when the button is pressed."""
    name, size = f"encoder-{run.id}{_cut(dimensions)}.zip", exports.encoder_bytes(run)
    make = partial(exports.encoder_zip, run, dimensions)
    offer_made("Download the encoder as ZIP", make, name, size=size, path=run.encoder, most=MOST_ZIP)


def _cut(dimensions: int | None) -> str:
    """Ends a file's name."""
    return "" if dimensions is None else f"-{dimensions}"


def show_embeddings(run: RunFolder) -> None:
    """One file of those before and after, as an array or a table; it is read when the button is pressed."""
    corpus, dim = corpus_of(run), dim_of(run)
    sides = [side for side in reversed(SIDES) if run.embeddings(side).exists()]
    files = {f"{side}.npy": f"{side.capitalize()}, array (.npy)" for side in sides}
    if corpus is not None:
        files |= {f"{side}.parquet": f"{side.capitalize()}, table (Parquet)" for side in sides}
    if not files:
        st.info("This run has no stored embeddings: they are stored when it is measured.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox("Embeddings", key="export.embeddings", persist_state="session", width=260, **named(files))
        dimensions = None if dim is None else dimensions_choice(dim)
        side, _, kind = chosen.partition(".")
        path, file = run.embeddings(side), f"embeddings-{side}-{run.id}{_cut(dimensions)}.{kind}"
        size = path.stat().st_size
        if dimensions is not None:
            size = size * dimensions // (dim or dimensions)
        make: Callable[[], bytes] = partial(read_bytes, path)
        if kind == "parquet" and corpus is not None:
            make = partial(exports.embeddings_parquet, run, side, corpus, dimensions)
        elif dimensions is not None:
            make = partial(exports.cut_embeddings, run, side, dimensions)
        offer_made("Download", make, file, size=size, path=path)
    st.caption(
        "Embeddings: the array has one row per row of the corpus, in its order; the table has the columns id (row of "
        "the corpus, from 0), label and embedding, one row per text. The page Data can import either."
    )


def push_section(run: RunFolder) -> None:
    """Nothing where several people sign in: the token is that of whoever started the app."""
    if has_sign_in() or is_behind_proxy():
        return
    with st.expander("Push to the hub", key="push"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            written = st.text_input(
                "Repository to create", key=f"push.to-{run.id}", placeholder="owner/name", width=320
            )
            public = st.toggle("Public", key=f"push.public-{run.id}",
                               help="Off: only its owner can read it. Its page can change this later.")  # fmt: skip
        if not written.strip():
            st.caption("What would be published is listed before you push.")
            return
        with errors_shown():
            hub_token()
            request = PushRun(run=run.id, to=written, public=public)
            size = exports.bytes_of_files(exports.pushed_files(run, request.to))
            files = f"{counted(len(size), 'file')} ({in_bytes(sum(size.values()))})"
            sizes = " · ".join(f"{escaped(path)} {in_bytes(each)}" for path, each in sorted(size.items()))
            st.caption(f"{files}: {sizes}")
            st.caption("The model card says, besides accuracy, recipe and how to load it:")
            st.caption("\n".join(f"- {escaped(name)}: {escaped(text, 400)}" for name, text in origins(run).items()))
            readers = "everybody" if public else "its owner alone"
            job_panel(request, start=f"Push {files}, readable by {readers}", key="push.start", show=_pushed)


def _pushed(job: RunFolder) -> None:
    pushed = read_model(job.result, PushedRun)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.write(f"Pushed, {'public' if pushed.public else 'private'}.")
        st.link_button(f"Open {pushed.to}", pushed.url)


def formats_section(run: RunFolder, dimensions: int | None) -> None:
    """A choice of those that this encoder has, with the dimensions kept; an adapter has none of its own.

    Each is written by a worker and compared on the run's corpus.
    """
    with st.expander("Other formats", key="formats"), errors_shown():
        titles = {
            "fp16": "Half precision (fp16): half the size, for GPUs",
            "bf16": "Half precision (bf16): half the size, any range of weights",
        }
        if read_saved_facts(run.encoder).layers:
            titles["onnx"] = "ONNX: for serving without torch"
            titles["onnx-int8"] = "ONNX with weights of 8 bits: a quarter of the size, for CPUs"
        if settings_of(run).get("adapter"):
            titles["adapter"] = "The LoRA adapter apart from its base"
        chosen = st.selectbox("Format", key=f"formats.which-{run.id}", **named(titles))
        dimensions = None if chosen == "adapter" else dimensions
        request = ExportEncoder(run=run.id, format=chosen, dimensions=dimensions)
        job_panel(
            request, start="Write and compare it", key=f"formats.write-{run.id}",
            primary=False, show=partial(_format_written, run), is_outdated=partial(_is_older, run),
        )  # fmt: skip


def _format_written(run: RunFolder, job: RunFolder) -> None:
    exported = read_model(job.result, ExportedEncoder)
    name = f"encoder-{run.id}-{exported.format or 'adapter'}{_cut(exported.dimensions)}.zip"
    offer_file("Download it as ZIP", job.path / exported.file, name)
    st.caption(exported.sentence)


def _is_older(run: RunFolder, job: RunFolder) -> bool:
    """Whether the run has saved another encoder since, or the file is gone."""
    return not (job.path / read_model(job.result, WrittenFile).file).exists() or is_newer(run.encoder / FACTS, job)
