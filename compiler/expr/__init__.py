"""One expression language for guards, assertions, assignments and templates.

ast        the tree                     parse      text -> tree, or a ParseFault
evaluate   tree + variables -> value    types      what is certain before the run
functions  the table of functions       fold       constants, computed once
"""

from __future__ import annotations
