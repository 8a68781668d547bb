"""Answers of a class: a pasted chat becomes bars a step, and a table to keep."""

import streamlit as st

from embedlab.errors import LessonError
from embedlab.learn.library import lessons
from embedlab.learn.tally import Tally, tally
from embedlab.ui.frame.page import show_error
from embedlab.ui.frame.text import count, escaped


def answers_view() -> None:
    """Paste, count, download."""
    st.write("Each student copies one line from the last page of a lesson. Paste them all, chat around them and all.")
    chat = st.text_area("Lines", key="learn.chat", height=160, max_chars=2_000_000, persist_state="session",
                        placeholder="embedlab pull-and-push 121a: 1=70 2A 3C 4B 5B · NAME")  # fmt: skip
    if not chat.strip():
        return
    try:
        found = tally(chat, {key: lesson for key, (lesson, _) in lessons().items()})
    except LessonError as error:
        show_error(error)
        return
    st.caption(escaped(" ".join(found.sentences), 1000))
    st.dataframe(_rows(found), hide_index=True, column_config={"students": _bar(found)})
    with st.expander("Lines that could not be read", expanded=False) if found.unreadable else st.container():
        for number, text in found.unreadable[:50]:
            line = f"Line {count(number)}: {escaped(text)}"
            st.caption(line)
    st.download_button("Download as CSV", found.as_csv.encode("utf-8-sig"), f"{found.key}.csv", "text/csv",
                       key="learn.csv", on_click="ignore")  # fmt: skip


def _rows(found: Tally) -> list[dict]:
    rows = []
    for step in found.steps:
        for answer, students in sorted(step.counts.items()):
            right = "" if step.right is None else "✓" if answer == step.right else ""
            said = answer if answer in "ABCD" else answer.replace("-", "−")
            rows.append({"step": f"{step.number}  {step.title}", "answer": said, "right": right, "students": students})
    return rows


def _bar(found: Tally):
    return st.column_config.ProgressColumn("students", format="%d", min_value=0, max_value=max(1, len(found.students)))
