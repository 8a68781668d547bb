"""Lessons that train in the student's own browser: open, hand out, collect answers, make new ones."""

from embedlab.ui.frame.page import page_head, what_am_i_looking_at
from embedlab.ui.frame.state import view_choice
from embedlab.ui.learn import answers_view, lessons_view, making_view, opened_view

VIEWS = {
    "Lessons": lessons_view,
    "Answers of a class": answers_view,
    "Make a lesson": making_view,
    "Open a lesson file": opened_view,
}

page_head("Learn", "How can a class predict, train and explain embeddings without installing anything?")
VIEWS[view_choice(list(VIEWS), key="learn.view")]()
what_am_i_looking_at(
    "A lesson is one HTML file that needs no server, no install and no network. Send it by mail, on a USB stick or "
    "through a learning platform; it works on a phone. Inside, a small encoder (one vector per word, their mean, "
    "InfoNCE) trains on 1,200 texts in a second or two. Students predict first, then see, then read why. The address "
    "ending in /present is for a projector: clicks count raised hands. The last page gives each student one line to "
    "copy; paste all lines here. A lesson is written in Markdown; what it claims is checked against its runs and "
    "texts.",
    "Crops paper, sections 3.2, 3.3 and 5; LA(SER)³, section 3.",
)
