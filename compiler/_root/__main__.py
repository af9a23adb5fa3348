"""`python -m flowc` is the command line."""

from __future__ import annotations

import sys

from flowc.runtime.cli import main

sys.exit(main())
