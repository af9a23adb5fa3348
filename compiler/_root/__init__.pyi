from flowc import errors as errors
from flowc.compiler.conversion import Conversion as Conversion
from flowc.compiler.diagnostics.diagnostic import Diagnostic as Diagnostic
from flowc.runtime.events import RunEvent as RunEvent
from flowc.runtime.python_api.flow import Flow as Flow
from flowc.runtime.python_api.load import Permissions as Permissions
from flowc.runtime.python_api.load import check as check
from flowc.runtime.python_api.load import convert as convert
from flowc.runtime.python_api.load import load as load
from flowc.runtime.python_api.saver import open_saver as open_saver
from flowc.runtime.services import Outcome as Outcome
from flowc.runtime.torture.ledger import note_effect as note_effect

__version__: str
