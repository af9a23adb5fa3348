"""The picture of a workflow for the page, with an execution drawn over it when there is one."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from flowc.compiler.emit.html.layout import Layout
from flowc.compiler.emit.html.sizes import measure
from flowc.compiler.emit.html.svg import Mark, draw
from flowc.compiler.emit.picture.picture import Overlay, Picture, picture_of
from flowc.compiler.ir import Workflow

from ...graph.overlay import layout_of

KEPT = 128
"""Layouts that are remembered."""


@dataclass(frozen=True, slots=True)
class Pictures:
    """Draws. Where nodes lie is worked out once for one picture, with room for what an execution
    writes into them: they stay where they are while it goes on."""

    layouts: OrderedDict[Any, Layout] = field(default_factory=OrderedDict)

    async def draw(
        self,
        workflow: Workflow,
        overlay: Overlay | None = None,
        marks: Mapping[str, Mark] | None = None,
    ) -> tuple[str, Picture]:
        """The `<svg>` element, and what it shows: `data-node` is the number in `nodes`."""
        picture = picture_of(workflow, overlay)
        roomy = tuple(replace(node, visits=20, seconds=1000.0) for node in picture.nodes)
        sized = measure(replace(picture, nodes=roomy))
        lines = tuple((line.source, line.target, line.label) for line in picture.lines)
        key = (picture.title, tuple((n.id, n.lines, n.note) for n in roomy), lines)
        layout = self.layouts.get(key)
        if layout is None:
            layout = await asyncio.to_thread(layout_of, sized)
            self.layouts[key] = layout
            while len(self.layouts) > KEPT:
                self.layouts.popitem(last=False)
        return draw(replace(sized, picture=picture), layout, marks), picture
