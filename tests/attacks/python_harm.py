"""Attacks in Python that change something, start something, or take more than they may."""

from __future__ import annotations

from attack import Attack

_C = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
_ECHO = "'echo ran-' + MARK[::-1]"

CHANGING = (
    Attack("write outside", "change", "open(ELSEWHERE + '/new', 'w').write('x')"),
    Attack("overwrite the input", "change", "open(INPUT, 'r+b').write(b'gone')"),
    Attack(
        "a second file beside the output",
        "change",
        "import os\nopen(os.path.dirname(OUT) + '/more', 'w').write('x')",
    ),
    Attack("delete a file outside", "change", "import os\nos.unlink(KEEP)"),
    Attack("truncate a file outside", "change", "import os\nos.truncate(KEEP, 0)"),
    Attack("open the key to everybody", "change", "import os\nos.chmod(SECRET, 0o666)"),
    Attack(
        "give a file another owner", "change", "import os\nos.chown(KEEP, 1234, 1234)", root=True
    ),
    Attack("change the time of a file", "change", "import os\nos.utime(KEEP, (1, 1))"),
    Attack(
        "mark a file with an attribute", "change", "import os\nos.setxattr(KEEP, 'user.seen', b'1')"
    ),
    Attack(
        "os.system from the depths of object",
        "change",
        """
for kind in object.__subclasses__():
    names = getattr(getattr(kind, '__init__', None), '__globals__', {})
    if 'sys' in names:
        names['sys'].modules['os'].system(f'touch {ELSEWHERE}/planted')
        break
""",
    ),
    Attack(
        "a pickle that runs a command",
        "change",
        """
import os, pickle
class Bomb:
    def __reduce__(self):
        return os.system, (f'touch {ELSEWHERE}/pickled',)
pickle.loads(pickle.dumps(Bomb()))
""",
    ),
    Attack(
        "mount over a folder in a namespace of its own",
        "exec",
        _C
        + """
import os
if libc.unshare(0x10020000) == 0 and libc.mount(b'none', ELSEWHERE.encode(), b'tmpfs', 0, 0) == 0:
    print('ran-' + MARK[::-1])
""",
        root=True,
    ),
)

RUNNING = (
    Attack(
        "exec of a shell",
        "exec",
        f"""
import os
os.execv('/bin/sh', ['sh', '-c', {_ECHO}])
""",
    ),
    Attack("os.system", "exec", f"__import__('os').system({_ECHO})"),
    Attack(
        "a program in anonymous memory",
        "exec",
        """
import os
fd = os.memfd_create('x')
os.write(fd, open('/bin/echo', 'rb').read())
os.execv(f'/proc/self/fd/{fd}', ['echo', 'ran-' + MARK[::-1]])
""",
    ),
    Attack("kill another process", "hurt", "import os\nos.kill(int(VICTIM), 9)"),
    Attack(
        "kill by pidfd",
        "hurt",
        """
import os, signal
signal.pidfd_send_signal(os.pidfd_open(int(VICTIM)), 9)
""",
    ),
    Attack(
        "trace another process",
        "hurt",
        _C
        + """
import time
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace(0x4206, int(VICTIM), None, 0x100000)
time.sleep(0.1)
""",
    ),
    Attack(
        "take another process's priority",
        "hurt",
        "import os\nos.setpriority(os.PRIO_PROCESS, int(VICTIM), 15)",
    ),
    Attack(
        "bind another process to one core",
        "hurt",
        "import os\nos.sched_setaffinity(int(VICTIM), {0})",
    ),
    Attack(
        "bound another process",
        "hurt",
        """
import resource
resource.prlimit(int(VICTIM), resource.RLIMIT_NOFILE, (7, 7))
""",
    ),
    Attack(
        "offer another process to the memory killer",
        "hurt",
        "open(f'/proc/{VICTIM}/oom_score_adj', 'w').write('900')",
    ),
    Attack(
        "a daemon that stays",
        "alive",
        """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in range(3):
            os.close(fd)
        time.sleep(60)
    os._exit(0)
""",
    ),
    Attack(
        "a daemon that writes later",
        "change",
        """
import os, time
if os.fork() == 0:
    os.setsid()
    for fd in range(3):
        os.close(fd)
    time.sleep(0.02)
    open(os.path.dirname(OUT) + '/later', 'w').write('x')
    os._exit(0)
""",
    ),
    Attack("shared memory that stays", "alive", _C + "libc.shmget(int(MARK[:8]), 4096, 0o1666)"),
)

GREEDY = (
    Attack(
        "a fork bomb",
        "greed",
        """
import os, time
for _ in range(150):
    try:
        if os.fork() == 0:
            time.sleep(0.8)
            os._exit(0)
    except OSError:
        pass
time.sleep(0.5)
""",
    ),
    Attack(
        "a memory bomb",
        "greed",
        """
import time
held = []
for _ in range(60):
    held.append(bytearray(b'x') * (16 << 20))
time.sleep(0.2)
""",
    ),
    Attack("an endless loop", "greed", "while True:\n    pass", bare=False),
    Attack("a sleep without end", "greed", "import time\ntime.sleep(100)"),
    Attack("a power that never ends", "greed", "print(len(str(10 ** 10 ** 9)))", bare=False),
    Attack(
        "output without end",
        "greed",
        """
import os
while True:
    os.write(1, b'y' * 65536)
""",
    ),
    Attack(
        "a gigabyte in the output file",
        "greed",
        """
with open(OUT, 'wb') as file:
    for _ in range(160):
        file.write(b'x' * (1 << 20))
""",
    ),
    Attack(
        "many files",
        "greed",
        """
for number in range(160):
    open(f'{WORK}/{number}', 'wb').write(b'x' * (1 << 20))
""",
    ),
    Attack(
        "raise its own limits",
        "greed",
        """
import resource
for kind in (resource.RLIMIT_FSIZE, resource.RLIMIT_AS, resource.RLIMIT_CPU):
    try:
        resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (ValueError, OSError):
        pass
with open(OUT, 'wb') as file:
    for _ in range(160):
        file.write(b'x' * (1 << 20))
""",
    ),
    Attack(
        "source that is all brackets",
        "greed",
        """
deep = '-' * 4_000_000 + '1'
compile('+'.join(['(1,2,3)'] * 1_500_000), 'x', 'eval')
""",
        bare=False,
    ),
)
