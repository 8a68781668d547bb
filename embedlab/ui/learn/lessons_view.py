"""All lessons: open in a tab of its own, download one, download all."""

import io
import zipfile

import streamlit as st

from embedlab.errors import EmbedlabError
from embedlab.example import gathered
from embedlab.jobs.requests.corpora import ReadCorpus
from embedlab.learn.catalog import lessons, unreadable_lessons
from embedlab.learn.lesson import Lesson
from embedlab.ui.frame.lesson_route import lesson_file
from embedlab.ui.frame.page import show_error
from embedlab.ui.frame.progress import follow_job
from embedlab.ui.frame.session import start_once
from embedlab.ui.frame.text import escaped


def lessons_view() -> None:
    """The list, and files to take along."""
    by_key = {key: lesson for key, (lesson, _) in lessons().items()}
    for lesson in by_key.values():
        _row(lesson)
    for sentence in unreadable_lessons():
        show_error(sentence)
    if gathered() is None:
        job = start_once(ReadCorpus(reference="docs"))
        st.caption("The texts that are trained on in the browser are collected from your installed packages, once.")
        follow_job(job, stop="")
        return
    titles = {key: lesson.title for key, lesson in by_key.items()}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = st.selectbox("Lesson", list(titles), format_func=titles.get, key="learn.lesson", width=320)
        refusal = _refusal(key)
        st.download_button("Download", lambda: lesson_file(key), f"{key}.html", "text/html", key="learn.one",
                           on_click="ignore", disabled=refusal is not None)  # fmt: skip
        st.download_button("Download all as ZIP", lambda: _zipped(list(titles)), "lessons.zip", "application/zip",
                           key="learn.all", on_click="ignore")  # fmt: skip
    if refusal is not None:
        show_error(refusal)


def _refusal(key: str) -> EmbedlabError | None:
    """Why there is no file of this lesson."""
    try:
        lesson_file(key)
    except EmbedlabError as error:
        return error
    return None


def _row(lesson: Lesson) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        text = f"**{escaped(lesson.title)}**  \n{escaped(lesson.goal, 300)}"
        st.markdown(text, width="stretch")
        link = f"{lesson.minutes} min · [Open](lesson/{lesson.key}.html)"
        st.markdown(link, width="content")


def _zipped(keys: list[str]) -> bytes:
    """Every lesson that can be made; what cannot is said in a file of its own."""
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
