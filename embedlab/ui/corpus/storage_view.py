"""The store: what in it cannot be read, sizes, and the question before what can be made again is pruned."""

from functools import partial
from secrets import token_hex

import pyarrow as pa
import streamlit as st

from embedlab.jobs.storage import KINDS, PRUNABLE, Part, prune, storage
from embedlab.numbers import ago, count, in_bytes
from embedlab.runs.index.find import damaged
from embedlab.store_root import store_root
from embedlab.trash import TrashEntry, empty_trash, list_trash, restore
from embedlab.ui.frame.background import awaited
from embedlab.ui.frame.layout import errors_shown, escaped, show_table
from embedlab.ui.frame.page import attempt, delete_popover, show_refusal

_BOX, _LOOK, _PRUNE = "home.storage", "home.storage-look", "home.storage-prune"  # in the session
_NOTHING = "Nothing can be pruned now: what is left cannot be made again, or a running job uses it."


NAMED = 3  # of what cannot be read
SHOWN_DELETED = 20
_REFUSED = "home.storage-refused"


def left_out() -> None:
    """What in the store cannot be read, a sentence each."""
    sentences = list(damaged().values())
    for sentence in sentences[:NAMED]:
        st.warning(escaped(sentence, 400))
    if further := sentences[NAMED:]:
        st.caption(f"And {count(len(further))} more: python -m embedlab runs list shows them all.")


def storage_view() -> None:
    """The folded table; nothing is measured, in a thread, until somebody opens it. After pruning, what that freed."""
    box = st.expander("Storage", key=_BOX, on_change="rerun")
    with box, errors_shown():
        if not box.open:
            st.session_state.pop(_LOOK, None)  # measured anew when it is opened again
        elif (pruning := st.session_state.get(_PRUNE)) is not None:
            kinds, number = pruning
            freed = awaited(("prune", number), partial(prune, kinds), "Pruning …")
            if freed is not None:
                st.success(f"Freed {in_bytes(sum(freed.values()))}.")
                st.button("Look again", key=f"{_PRUNE}-again", on_click=_look_again)
        else:
            look = st.session_state.setdefault(_LOOK, token_hex(4))
            parts = awaited(("storage", look), storage, "Looking at every file of the store …")
            if parts is not None:
                _show({key: part for key, part in parts.items() if part.size})


def _show(parts: dict[str, Part]) -> None:
    largest_first = sorted(parts.values(), key=lambda part: -part.size)
    st.write(escaped(f"{in_bytes(sum(part.size for part in largest_first))} in {store_root()}", 400))
    if largest_first:
        table = {
            "Content": [KINDS[part.kind].title for part in largest_first],
            "Size": [in_bytes(part.size) for part in largest_first],
            "Can be pruned": [in_bytes(part.prunable) if part.prunable else None for part in largest_first],
        }
        alt = f"Sizes of {len(largest_first)} kinds of content; the largest is {KINDS[largest_first[0].kind].title}."
        show_table(pa.table(table), alt=alt, most=13, placeholder="–")
    prunable = {key: parts[key].prunable for key in PRUNABLE if key in parts and parts[key].prunable}
    delete_popover(
        "Prune …", "What is chosen here is removed from the disk.", partial(_ask_to_prune, tuple(prunable)),
        key=f"{_PRUNE}-now", gone="", confirm="Prune", busy="" if prunable else _NOTHING,
        options=partial(_choices, prunable), is_final=True,
    )  # fmt: skip
    _trash()


def _trash() -> None:
    """Show what was deleted less than a day ago, each with its button to restore it."""
    show_refusal(_REFUSED)
    entries = list_trash()
    if not entries:
        return
    st.subheader("Deleted", anchor=False)
    st.caption("Each stays for a day and is then removed for good.")
    for entry in entries[:SHOWN_DELETED]:
        with st.container(horizontal=True, vertical_alignment="center", key=f"trash-{entry.id}"):
            line = f"{entry.kind.capitalize()} {entry.name} · {ago(entry.deleted)} · {in_bytes(entry.bytes)}"
            st.write(escaped(line, 200))
            st.button("Restore", key=f"trash-restore-{entry.id}", on_click=_restore, args=(entry,))
    if len(entries) > SHOWN_DELETED:
        st.caption(f"And {count(len(entries) - SHOWN_DELETED)} more: python -m embedlab storage trash lists all.")
    size = in_bytes(sum(entry.bytes for entry in entries))
    delete_popover(
        "Remove now …", f"Remove all of it now, which frees {size}?", partial(empty_trash, is_now=True),
        key="home.storage-empty", gone="", confirm="Remove", is_final=True,
    )  # fmt: skip


def _restore(entry: TrashEntry) -> None:
    attempt(partial(restore, entry), _REFUSED, "It was already restored in another tab.")
    _look_again()


def _choices(prunable: dict[str, int]) -> None:
    """Each kind, with what becomes of it."""
    for key, size in prunable.items():
        st.checkbox(f"{KINDS[key].title}, {in_bytes(size)}", value=True, key=_choice(key))
        st.write(KINDS[key].after)


def _choice(kind: str) -> str:
    return f"{_PRUNE}-{kind}"


def _ask_to_prune(kinds: tuple[str, ...]) -> None:
    if chosen := tuple(kind for kind in kinds if st.session_state.get(_choice(kind))):
        st.session_state[_PRUNE] = chosen, token_hex(4)


def _look_again() -> None:
    for name in (_PRUNE, _LOOK):
        st.session_state.pop(name, None)
