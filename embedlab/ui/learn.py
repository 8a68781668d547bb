"""Lessons that train in the browser: open, export, make new ones, check a file, count a class's answers."""

import io
import zipfile

import streamlit as st

from embedlab.corpora.base import open_corpus
from embedlab.errors import EmbedlabError
from embedlab.jobs.requests.corpora import ReadCorpus
from embedlab.learn.catalog import export_lesson, fitting, keep_lesson, lesson_file, lessons, read_lessons, skeleton
from embedlab.learn.tally import EXAMPLE, tally
from embedlab.numbers import count, minus
from embedlab.runs.example import MINI, TOKEN, example_run, gathered
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_runs
from embedlab.runs.result import read_result
from embedlab.training.titles import run_title
from embedlab.ui.frame.files import code_box, download
from embedlab.ui.frame.layout import errors_shown, escaped, show_error
from embedlab.ui.frame.progress import follow_job, start_once
from embedlab.ui.frame.state import hold, named


def lessons_view() -> None:
    """The list, and downloads."""
    available, unreadable = read_lessons()
    for lesson, _ in available.values():
        with st.container(border=True, horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(f"**{escaped(lesson.title)}**  \n{escaped(lesson.goal, 300)}", width="stretch")
            st.markdown(f"{lesson.minutes} min · [Open](lesson/{lesson.key}.html)", width="content")
    for sentence in unreadable:
        show_error(sentence)
    if gathered() is None:
        job = start_once(ReadCorpus(reference="docs"))
        st.caption("The texts that are trained on in the browser are collected from your installed packages, once.")
        follow_job(job, stop="")
        return
    titles = {key: lesson.title for key, (lesson, _) in available.items()}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = st.selectbox("Lesson", key="learn.lesson", width=320, **named(titles))
        refusal = None
        try:
            lesson_file(key)
        except EmbedlabError as error:
            refusal = error
        download("Download", lambda: lesson_file(key), f"{key}.html", key="learn.one", disabled=refusal is not None)
        download("Download all as ZIP", lambda: _zipped(list(titles)), "lessons.zip", key="learn.all")
    if refusal is not None:
        show_error(refusal)


def _zipped(keys: list[str]) -> bytes:
    """Every lesson that can be exported; a text file names the others."""
    held, refused = io.BytesIO(), []
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for key in keys:
            try:
                archive.writestr(f"{key}.html", lesson_file(key))
            except EmbedlabError as error:
                refused.append(f"{key}: {error.message}")
        if refused:
            archive.writestr("not-made.txt", "\n".join(refused) + "\n")
    return held.getvalue()


def making_view() -> None:
    """Choose pictures; then edit the file in any editor."""
    packaged = {run.id: run for run in map(example_run, (TOKEN, MINI)) if run is not None}
    runs = packaged | _runs_with_result()
    titles = {key: f"{run_title(run)}{' (packaged)' if key in packaged else ''}" for key, run in runs.items()}
    hold("learn.run")
    key = st.selectbox("Run", key="learn.run", **named(titles))
    there = fitting(runs[key])
    kinds = st.pills(
        "Pictures", key=f"learn.kinds-{key}", selection_mode="multi", default=list(there)[:3], **named(there)
    )
    if not kinds:
        st.caption("Choose at least one picture.")
        return
    source = skeleton(runs[key], kinds, title=run_title(runs[key]), name=key if key in packaged else "run")
    st.write("Edit this file in any editor; then open it here, or export it with the command below.")
    code_box(source, most=360)
    download("Download the lesson", source.encode(), "my-lesson.md", key="learn.made")
    bound = "" if key in packaged else f" --run run={key}"
    st.code(f"python -m embedlab learn export my-lesson.md{bound} --out my-lesson.html", language=None)


def opened_view() -> None:
    """Upload, bind, check, export."""
    uploaded = st.file_uploader("Lesson file", type="md", key="learn.file", max_upload_size=1)
    if uploaded is None:
        st.caption("A Markdown file of six rules; Make a lesson gives you one to start from.")
        return
    with errors_shown():
        lesson = keep_lesson(uploaded.getvalue(), uploaded.name)
        titles = {"": "the packaged one", **{key: run_title(run) for key, run in _runs_with_result().items()}}
        runs = {}
        for name in lesson.runs:
            hold(f"learn.bound-{name}")
            if bound := st.selectbox(f"Run for {name}", key=f"learn.bound-{name}", **named(titles)):
                runs[name] = bound
        anyway = st.checkbox("Export even if a claim does not hold", key="learn.anyway")
        fingerprint = gathered()
        corpus = None if fingerprint is None or lesson.corpus else open_corpus(fingerprint)
        made = export_lesson(lesson, corpus=corpus, runs=runs, anyway=anyway)
        for each in made.claims:
            st.markdown(f":material/{'check' if each.holds else 'close'}: {escaped(each.sentence, 400)}")
        title, open_it = escaped(lesson.title), f"[Open](lesson/{lesson.key}.html)"
        st.markdown(f"**{title}**: {len(lesson.steps)} steps, all rules hold. {open_it}")
        download("Download the HTML", made.page, f"{lesson.key}.html", key="learn.opened")


def _runs_with_result() -> dict[str, RunFolder]:
    return {run.id: run for run in find_runs() if read_result(run) is not None}


def answers_view() -> None:
    """Paste, count, download."""
    st.write(
        "Each student copies one line from the last page of a lesson. Paste them all, together with any chat "
        "around them."
    )
    chat = st.text_area("Lines", key="learn.chat", height=160, max_chars=2_000_000, persist_state="session",
                        placeholder=EXAMPLE)  # fmt: skip
    if not chat.strip():
        return
    with errors_shown():
        counted = tally(chat, lessons())
        st.caption(escaped(" ".join(counted.sentences), 1000))
        most = max(1, len(counted.students))
        bar = st.column_config.ProgressColumn("students", format="%d", min_value=0, max_value=most)
        rows = [
            {
                "step": f"{step.step}  {step.title}",
                "answer": answer if answer in "ABCD" else minus(answer),
                "right": "✓" if answer == step.right else "",
                "students": students,
            }
            for step in counted.steps
            for answer, students in sorted(step.answers.items())
        ]
        st.dataframe(rows, hide_index=True, column_config={"students": bar})
        with st.expander("Lines that could not be read", expanded=False) if counted.unreadable else st.container():
            for number, text in counted.unreadable[:50]:
                st.caption(f"Line {count(number)}: {escaped(text)}")
        download("Download as CSV", counted.as_csv.encode("utf-8-sig"), f"{counted.lesson}.csv", key="learn.csv")
