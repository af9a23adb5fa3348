"""Living documents: a plan, its steps' state and its log in one markdown file that programs and
people change side by side.

The front end reads them and the runtime edits them, both with this package. It knows nothing of
workflows, and an edit of one field leaves every other byte of the file as it was.
"""

from .blocks import Block as Block
from .blocks import PlanField as PlanField
from .calls import code_request as code_request
from .calls import fix_request as fix_request
from .calls import is_manual as is_manual
from .calls import is_placeholder as is_placeholder
from .calls import read_call as read_call
from .document import PlanDocument as PlanDocument
from .document import is_id as is_id
from .document import read_plan as read_plan
from .document import text_value as text_value
from .edits import PlanError as PlanError
from .paths import final_path as final_path
from .paths import path_breaks as path_breaks
from .paths import resolve_path as resolve_path
from .paths import step_paths as step_paths
from .progress import counts as counts
from .progress import current_step as current_step
from .progress import overall_of as overall_of
from .progress import status_of as status_of
from .progress import transition as transition
from .values import Value as Value
from .values import is_template as is_template
from .words import OVERALL as OVERALL
from .words import SECTIONS as SECTIONS
from .words import STATUSES as STATUSES
from .words import Status as Status
