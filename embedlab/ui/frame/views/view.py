"""A view of a run: what draws it, what it needs, and what it explains; and the page's part in showing one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from embedlab.runs.folder import RunFolder
from embedlab.ui.frame.page import embeddings_needed, encoder_needed, run_needed, what_am_i_looking_at
from embedlab.ui.frame.views.places import VIEW
from embedlab.ui.frame.views.switches import view_choice


@dataclass(frozen=True)
class View:
    """One view of the picked run."""

    show: Callable[[Any], None]  # gets the run, or what ``beside`` returned
    explained: str = ""  # in at most 120 words; empty where the view explains itself
    source: str = ""
    beside: Callable[[RunFolder], Any] | None = None  # draws further controls in the row of the view's switch
    begin: Callable[[], None] | None = None  # before anything else
    example: Callable[[], None] | None = None  # the packaged example's view, where there is no run or no result yet
    needs_result: bool = True  # else it also shows a run at work, or one that failed
    needs_embeddings: bool = False
    needs_encoder: bool = False


def show_views(views: Mapping[str, View], *, key: str, more: int = 0) -> None:
    """The switch where there are several views, and the chosen one.  ``more``: as of ``view_choice``"""
    row = st.container(horizontal=True, vertical_alignment="bottom")
    name = next(iter(views))
    if len(views) > 1:
        with row:
            name = view_choice(list(views), key=key, address=VIEW, more=more)
    view = views[name]
    if view.begin is not None:
        view.begin()
    run = run_needed(view.example, with_result=view.needs_result)
    if view.needs_embeddings:
        embeddings_needed(run)
    if view.needs_encoder:
        encoder_needed(run)
    if view.beside is None:
        view.show(run)
    else:
        with row:
            shown = view.beside(run)
        view.show(shown)
    if view.explained:
        what_am_i_looking_at(view.explained, view.source)
