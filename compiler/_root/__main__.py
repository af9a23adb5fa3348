"""`python -m flowc` is the command line.

Python puts the current folder before everything that can be imported, and the `flowc` that is
installed does not: a folder of somebody else must not bring the packages that are imported later.
"""

from __future__ import annotations

import sys

if not sys.flags.safe_path:
    del sys.path[0]

from flowc.runtime.cli import main

sys.exit(main())
