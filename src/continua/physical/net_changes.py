"""Net changes: by how much the multiplicity of tuples changes at an instant.

Pieces of a tuple that follow one another cancel out where they meet. All that happens at one
instant happens in one slab, so what cancels out does so inside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from continua.physical.boundaries import AT, BOUNDARY, boundaries
from continua.physical.builder import Builder
from continua.physical.coalesce import ENDING
from continua.physical.instant import FOREVER, instant
from continua.physical.operator import Form
from continua.physical.relation import EMPTY, Rel
from continua.physical.slab import Slab
from continua.physical.sweep_area import Content, State, grown
from continua.physical.validity import OWN

Counted = tuple[Rel, dict[str, Content]]


def net_changes(
    builder: Builder,
    slab: Slab,
    rel: Rel,
    form: Form,
    columns: Sequence[str],
    state: State,
    known: bool = False,
) -> Counted:
    """The rows `columns`, `at`, `n`, n being positive where tuples start and negative where they
    end, and the ends that are not yet final: what ends where the slab does may be continued.

    known: whether nothing cancels out.
    """
    ends = {AT: OWN, "n": ("1L", "-1L")}
    # What never ends has no end to wait for.
    wanted = BOUNDARY.known if form is Form.CHANGES else BOUNDARY.before(instant(FOREVER))
    found = boundaries(builder, rel, [(c, c) for c in columns], ends, wanted)
    kept: dict[str, Content] = {}
    if form is Form.PIECES:
        new, found = found, builder.union("ends", ENDING.held(state), found)
        later = grown(builder, found, new, AT, slab.end)
        if later is not None and not slab.endless:
            kept[ENDING.name] = later
        found = builder.where("due", found, AT.before(slab.until))
    if known or found is EMPTY:
        return found, kept
    by = [*columns, AT]
    return builder.group("net", found, by, [("n", "sum(n)")], "sum(n) <> 0"), kept
