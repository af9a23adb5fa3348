"""Attacks in Python that read what they must not, or talk to somebody."""

from __future__ import annotations

from attack import Attack

_C = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"

READING = (
    Attack("open the key file", "leak", "print(open(SECRET).read())"),
    Attack("open a key below the home folder", "leak", "print(open(HOMEDIR + '/.ssh/id').read())"),
    Attack("climb out with ..", "leak", "import os\nprint(open(os.path.relpath(SECRET)).read())"),
    Attack("list the names in a private folder", "leak", "import os\nprint(os.listdir(PRIVATE))"),
    Attack(
        "open(2) by ctypes",
        "leak",
        _C
        + """
fd = libc.open(SECRET.encode(), 0)
buffer = ctypes.create_string_buffer(200)
libc.read(fd, buffer, 200)
print(buffer.value.decode())
""",
    ),
    Attack(
        "read through the root of another process",
        "leak",
        "print(open(f'/proc/{VICTIM}/root{SECRET}').read())",
    ),
    Attack(
        "read the environment of every process",
        "leak",
        """
import os
for pid in os.listdir('/proc'):
    try:
        print(open(f'/proc/{pid}/environ').read())
    except OSError:
        pass
""",
    ),
    Attack(
        "read the memory of another process",
        "leak",
        """
for line in open(f'/proc/{VICTIM}/maps'):
    if '[stack]' in line:
        first, last = (int(n, 16) for n in line.split()[0].split('-'))
with open(f'/proc/{VICTIM}/mem', 'rb') as memory:
    memory.seek(first)
    import sys
    sys.stdout.buffer.write(memory.read(last - first))
""",
    ),
    Attack(
        "process_vm_readv",
        "leak",
        _C
        + """
for line in open(f'/proc/{VICTIM}/maps'):
    if '[stack]' in line:
        first, last = (int(n, 16) for n in line.split()[0].split('-'))
size = last - first
buffer = ctypes.create_string_buffer(size)
class Piece(ctypes.Structure):
    _fields_ = [('at', ctypes.c_void_p), ('size', ctypes.c_size_t)]
here, there = Piece(ctypes.addressof(buffer), size), Piece(first, size)
libc.process_vm_readv(int(VICTIM), ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
import sys
sys.stdout.buffer.write(buffer.raw)
""",
    ),
    Attack("the environment's secrets", "leak", "import os\nprint(dict(os.environ))"),
    Attack(
        "a format string that leaks globals",
        "leak",
        """
import os
class Box:
    def __init__(self): pass
print('{0.__init__.__globals__[os].environ}'.format(Box()))
""",
    ),
    Attack(
        "descriptors that were left open",
        "leak",
        """
import os
for fd in range(3, 1024):
    try:
        print(os.pread(fd, 200, 0))
    except OSError:
        pass
""",
    ),
    Attack(
        "a file by its handle",
        "leak",
        _C
        + """
import os
class Handle(ctypes.Structure):
    _fields_ = [('size', ctypes.c_uint), ('kind', ctypes.c_int), ('data', ctypes.c_char * 128)]
handle, mount = Handle(128), ctypes.c_int()
libc.name_to_handle_at(-100, SECRET.encode(), ctypes.byref(handle), ctypes.byref(mount), 0)
top = os.open('/', os.O_RDONLY)
for at in (top, os.open(os.path.dirname(INPUT), os.O_RDONLY)):
    fd = libc.open_by_handle_at(at, ctypes.byref(handle), 0)
    if fd >= 0:
        print(os.read(fd, 200))
""",
        root=True,
    ),
    Attack(
        "numpy reads the bytes",
        "leak",
        """
import numpy
print(numpy.fromfile(SECRET, dtype='uint8').tobytes())
""",
    ),
    Attack(
        "soundfile decodes another sound",
        "leak",
        """
import soundfile
print(soundfile.read(SOUND, dtype='int16')[0].tobytes())
""",
    ),
    Attack(
        "the output becomes a link to the key",
        "leak",
        "import os\nos.unlink(OUT)\nos.symlink(SECRET, OUT)",
    ),
    Attack(
        "the output becomes the key's other name",
        "leak",
        "import os\nos.unlink(OUT)\nos.link(SECRET, OUT)",
    ),
    Attack(
        "import from a planted archive",
        "leak",
        "import sys\nsys.path.insert(0, ZIP)\nimport planted",
    ),
    Attack(
        "map the key file",
        "leak",
        """
import mmap
with open(SECRET, 'rb') as file:
    print(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)[:])
""",
    ),
)

TALKING = (
    Attack(
        "a TCP connection",
        "contact",
        """
import socket
socket.create_connection(('127.0.0.1', int(TCP)), 2)
""",
    ),
    Attack(
        "a UDP datagram",
        "contact",
        """
import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'out', ('127.0.0.1', int(UDP)))
""",
    ),
    Attack(
        "TCP with the first bytes in the handshake",
        "contact",
        """
import socket
s = socket.socket()
s.sendto(b'fast', 0x20000000, ('127.0.0.1', int(TCP)))
""",
    ),
    Attack(
        "an abstract unix socket",
        "contact",
        """
import socket
socket.socket(socket.AF_UNIX).connect('\\0' + MARK)
""",
    ),
    Attack(
        "a unix socket by its path",
        "contact",
        """
import socket
socket.socket(socket.AF_UNIX).connect(SOCK)
""",
    ),
    Attack(
        "io_uring opens a socket",
        "contact",
        _C
        + """
import os, socket
params = ctypes.create_string_buffer(120)
ring = libc.syscall(425, 4, params)
if ring < 0:
    raise SystemExit('no io_uring')
socket.create_connection(('127.0.0.1', int(TCP)), 2)
""",
    ),
)
