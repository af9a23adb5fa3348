"""Numbers of system calls: by name, on x86-64 and on aarch64 (None: it has no such call).

From the kernel's headers: asm/unistd_64.h, and asm-generic/unistd.h as aarch64 includes it.
"""

from __future__ import annotations

_TABLE = """
fork 57 -   vfork 58 -   clone 56 220   clone3 435 435   execve 59 221   execveat 322 281
ptrace 101 117   process_vm_readv 310 270   process_vm_writev 311 271   process_madvise 440 440
process_mrelease 448 448   kcmp 312 272   pidfd_getfd 438 438   pidfd_send_signal 424 424
kexec_load 246 104   kexec_file_load 320 294   init_module 175 105   finit_module 313 273
delete_module 176 106   bpf 321 280   perf_event_open 298 241   userfaultfd 323 282
io_uring_setup 425 425   io_uring_enter 426 426   io_uring_register 427 427   keyctl 250 219
add_key 248 217   request_key 249 218   mount 165 40   umount2 166 39   pivot_root 155 41
chroot 161 51   move_mount 429 429   fsopen 430 430   fsconfig 431 431   fsmount 432 432
fspick 433 433   open_tree 428 428   mount_setattr 442 442   open_tree_attr 467 467
unshare 272 97   setns 308 268   swapon 167 224   swapoff 168 225   reboot 169 142
sethostname 170 161   setdomainname 171 162   iopl 172 -   ioperm 173 -   modify_ldt 154 -
uselib 134 -   acct 163 89   quotactl 179 60   quotactl_fd 443 443   open_by_handle_at 304 265
lookup_dcookie 212 18   nfsservctl 180 42   settimeofday 164 170   clock_settime 227 112
clock_adjtime 305 266   adjtimex 159 171   syslog 103 116   vhangup 153 58   personality 135 92
fanotify_init 300 262   move_pages 279 239   migrate_pages 256 238   kill 62 129   tkill 200 130
tgkill 234 131   rt_sigqueueinfo 129 138   rt_tgsigqueueinfo 297 240   socket 41 198
socketpair 53 199   ioctl 16 29   fcntl 72 25   prlimit64 302 261   setpriority 141 140
sched_setaffinity 203 122   sched_setscheduler 144 119   sched_setparam 142 118
sched_setattr 314 274   ioprio_set 251 30   shmget 29 194   shmat 30 196   shmctl 31 195
msgget 68 186   msgsnd 69 189   msgrcv 70 188   msgctl 71 187   semget 64 190   semop 65 193
semtimedop 220 192   semctl 66 191   mq_open 240 180   mq_unlink 241 181   chmod 90 -
fchmodat 268 53   fchmodat2 452 452   chown 92 -   lchown 94 -   fchownat 260 54   setxattr 188 5
lsetxattr 189 6   removexattr 197 14   lremovexattr 198 15   setxattrat 463 463
removexattrat 466 466   file_setattr 469 469   symlink 88 -   symlinkat 266 36   link 86 -
linkat 265 37   mknod 133 -   mknodat 259 33   inotify_init 253 -   inotify_init1 294 26
utime 132 -   utimes 235 -   utimensat 280 88   futimesat 261 -   seccomp 317 277
fchmod 91 52   open 2 -   openat 257 56   openat2 437 437   creat 85 -
"""

MACHINES = ("x86_64", "aarch64")


def numbers(machine: str) -> dict[str, int]:
    """Return the calls of a machine. Raise KeyError for a machine that is not in `MACHINES`."""
    if machine not in MACHINES:
        raise KeyError(machine)
    column = 1 + MACHINES.index(machine)
    words = _TABLE.split()
    pairs = zip(words[::3], words[column::3], strict=True)
    return {name: int(number) for name, number in pairs if number != "-"}
