"""flowc: a compiler for agent workflows.

`flowc.compiler` turns text into a checked, typed IR and a LangGraph-shaped `GraphSpec`;
`flowc.runtime` runs it durably. Nothing heavy is imported here.
"""

from __future__ import annotations

__version__ = "0.1.0"
