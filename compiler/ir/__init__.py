"""The IR: one typed workflow, whatever dialect it was written in. Frozen data and nothing else.

Unions are tagged by `kind`; spans and origin are excluded from comparison, so that equality means
"the same workflow". A format differs by the IR its front end builds, never by a branch later.

Values of variables are JSON values. An expression (`Expr`) that is a template is a `Text`.
"""

from .declarations import PART_TYPES as PART_TYPES
from .declarations import REPORT_TOOL as REPORT_TOOL
from .declarations import Agent as Agent
from .declarations import Assertion as Assertion
from .declarations import Assignment as Assignment
from .declarations import CronSchedule as CronSchedule
from .declarations import Delay as Delay
from .declarations import Effect as Effect
from .declarations import ErrorKind as ErrorKind
from .declarations import ErrorRule as ErrorRule
from .declarations import Event as Event
from .declarations import ExecPart as ExecPart
from .declarations import Group as Group
from .declarations import HttpHeader as HttpHeader
from .declarations import HttpMethod as HttpMethod
from .declarations import HttpPart as HttpPart
from .declarations import Input as Input
from .declarations import Json as Json
from .declarations import Limit as Limit
from .declarations import LimitName as LimitName
from .declarations import Moment as Moment
from .declarations import OnUnknown as OnUnknown
from .declarations import Output as Output
from .declarations import Param as Param
from .declarations import PartName as PartName
from .declarations import Prompt as Prompt
from .declarations import QuestionSettings as QuestionSettings
from .declarations import Reasoning as Reasoning
from .declarations import Reducer as Reducer
from .declarations import ResultPart as ResultPart
from .declarations import Retry as Retry
from .declarations import Role as Role
from .declarations import Script as Script
from .declarations import Seed as Seed
from .declarations import StateField as StateField
from .declarations import Thread as Thread
from .declarations import Tool as Tool
from .declarations import Trial as Trial
from .declarations import TrialStatus as TrialStatus
from .declarations import TypeName as TypeName
from .declarations import WebhookStart as WebhookStart
from .nodes import AgentNode as AgentNode
from .nodes import AskNode as AskNode
from .nodes import AssertNode as AssertNode
from .nodes import AssignNode as AssignNode
from .nodes import CallNode as CallNode
from .nodes import ChooseNode as ChooseNode
from .nodes import EndNode as EndNode
from .nodes import ExecNode as ExecNode
from .nodes import ForeachNode as ForeachNode
from .nodes import GateNode as GateNode
from .nodes import HttpNode as HttpNode
from .nodes import MessageNode as MessageNode
from .nodes import Node as Node
from .nodes import PythonNode as PythonNode
from .nodes import ScriptNode as ScriptNode
from .nodes import TaskNode as TaskNode
from .nodes import ToolNode as ToolNode
from .nodes import WaitNode as WaitNode
from .workflow import Case as Case
from .workflow import Edge as Edge
from .workflow import Guard as Guard
from .workflow import OnError as OnError
from .workflow import OnInput as OnInput
from .workflow import Origin as Origin
from .workflow import Otherwise as Otherwise
from .workflow import Program as Program
from .workflow import Workflow as Workflow
