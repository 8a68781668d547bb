"""On a narrow window the sidebar is folded when the page is opened: the picture keeps the room. One click opens it."""

import streamlit as st

NARROW = 900  # pixels; below 768 Streamlit folds it itself

_JS = """
export default function ({ data }) {
  if (window.embedlabFolded) return;
  window.embedlabFolded = true; // once a page load: who opens it again wants it open
  const sidebar = document.querySelector('[data-testid="stSidebar"]');
  if (window.innerWidth >= data.narrow || !sidebar || sidebar.getBoundingClientRect().right < 100) return;
  sidebar.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
}
"""
_component = st.components.v2.component("embedlab.folding", js=_JS, isolate_styles=False)


def fold_sidebar() -> None:
    """Folded once, if the window is narrow."""
    _component(key="folding", data={"narrow": NARROW})
