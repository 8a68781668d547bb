"""Answers of a class: a pasted chat becomes bars a step, and a table to keep."""

import streamlit as st

from embedlab.errors import LessonError
from embedlab.learn.catalog import lessons
from embedlab.learn.tally import Tally, tally
from embedlab.ui.frame.page import show_error
from embedlab.ui.frame.text import count, escaped


def answers_view() -> None:
    """Paste, count, download."""
    st.write(
        "Each student copies one line from the last page of a lesson. Paste them all, together with any chat "
        "around them."
    )
    chat = st.text_area("Lines", key="learn.chat", height=160, max_chars=2_000_000, persist_state="session",
                        placeholder="embedlab pull-and-push 121a: 1=70 2A 3C 4B 5B · NAME")  # fmt: skip
    if not chat.strip():
        return
    try:
        counted = tally(chat, {key: lesson for key, (lesson, _) in lessons().items()})
    except LessonError as error:
        show_error(error)
        return
    st.caption(escaped(" ".join(counted.sentences), 1000))
    st.dataframe(_rows(counted), hide_index=True, column_config={"students": _bar(counted)})
    with st.expander("Lines that could not be read", expanded=False) if counted.unreadable else st.container():
        for number, text in counted.unreadable[:50]:
            line = f"Line {count(number)}: {escaped(text)}"
            st.caption(line)
    st.download_button("Download as CSV", counted.as_csv.encode("utf-8-sig"), f"{counted.key}.csv", "text/csv",
                       key="learn.csv", on_click="ignore")  # fmt: skip


def _rows(counted: Tally) -> list[dict]:
    rows = []
    for step in counted.steps:
        for answer, students in sorted(step.counts.items()):
            right = "" if step.right is None else "✓" if answer == step.right else ""
            written = answer if answer in "ABCD" else answer.replace("-", "−")
            rows.append(
                {"step": f"{step.number}  {step.title}", "answer": written, "right": right, "students": students}
            )
    return rows


def _bar(counted: Tally):
    return st.column_config.ProgressColumn(
        "students", format="%d", min_value=0, max_value=max(1, len(counted.students))
    )
