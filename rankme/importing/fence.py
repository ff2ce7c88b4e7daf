"""A child process in which uploads are read: it has little memory and time, and may die.

Some readers are libraries in other languages, which end the process when a file of a kilobyte asks
for more memory than there is. The child protects the worker, not its secrets: it is not a sandbox.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import os
import pickle
import resource
import signal
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, NoReturn, TypeVar

from rankme.importing.limits import Limits
from rankme.importing.problems import refusal
from rankme.importing.sources import Progress

Result = TypeVar("Result")

MORE_FILES = 256
# What the kernel should end first when the machine itself runs out of memory.
FIRST_TO_GO = "1000"
PR_SET_PDEATHSIG = 1
PROGRESS, RETURNED, RAISED = "progress", "returned", "raised"


def read_in_child(
    read: Callable[[Progress], Result],
    limits: Limits,
    progress: Progress | None = None,
    *,
    label: str = "",
) -> Result:
    """Call `read` in a child process, and return or raise what it returns or raises there.

    Only files that it writes, and what it returns, reach this process. Without a limit of memory
    (`limits.reader_memory` is 0), it is called in this process.

    Parameters
    ----------
    progress : called in this process with what `read` reports; may raise to stop the child
    label : the file, if there is only one, for the message of a refusal

    Raises
    ------
    ImportRefused : reading needed more memory or time than an upload may have
    """
    if not limits.reader_memory:
        return read(progress or (lambda done, total: None))
    receiving, sending = os.pipe()
    # Not `multiprocessing`: Celery's processes are daemons, which it does not allow to have any.
    parent, child = os.getpid(), os.fork()
    if not child:
        _end_with(parent)
        _answer(read, sending, limits)
    os.close(sending)
    try:
        with open(receiving, "rb") as answers:
            outcome = _outcome(answers, progress)
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        status = os.waitpid(child, 0)[1]
    if outcome is None:
        raise refusal(_cause_of_death(status, limits), label)
    kind, value = outcome
    if kind == RAISED:
        raise _raised(value, limits, label)
    result: Result = value
    return result


def _outcome(answers: IO[bytes], progress: Progress | None) -> tuple[str, Any] | None:
    """The child's last words; None if it died without any."""
    while True:
        try:
            kind, value = pickle.load(answers)
        except (EOFError, pickle.UnpicklingError):
            return None
        if kind != PROGRESS:
            return kind, value
        if progress is not None:
            progress(*value)


def _cause_of_death(status: int, limits: Limits) -> str:
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        seconds = limits.reader_seconds
        allowed = f"{seconds // 60} minutes" if seconds >= 120 else f"{seconds} seconds"
        return (
            f"Reading this upload took longer than {allowed}. "
            "Upload it in smaller parts, or save tables as CSV."
        )
    return _too_large(limits)


def _too_large(limits: Limits) -> str:
    return (
        f"Reading this upload takes more than {limits.reader_memory / 2**30:.3g} GB of memory, or "
        "a file in it is damaged. Sheets with a cell far outside the table need that much, and "
        "tables that repeat a long text. Save the table as CSV, and upload it again."
    )


def _raised(stored: Any, limits: Limits, label: str) -> BaseException:
    kind, args, state = stored
    if issubclass(kind, MemoryError | RecursionError):
        return refusal(_too_large(limits), label)
    # Not called: its arguments may be others than those that it keeps.
    error: BaseException = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


# In the child ----------------------------------------------------------------------------------


def _answer(read: Callable[[Progress], object], sending: int, limits: Limits) -> NoReturn:
    """Read, tell the parent, and end without touching what belongs to the parent."""
    try:
        with open(sending, "wb") as stream:

            def tell(kind: str, value: object) -> None:
                try:
                    stream.write(pickle.dumps((kind, value)))
                    stream.flush()
                except BrokenPipeError:  # the parent is gone
                    os._exit(1)

            try:
                _fence_in(limits)
                result = read(lambda done, total: tell(PROGRESS, (done, total)))
                tell(RETURNED, result)
            except BaseException as error:
                tell(RAISED, _stored(error))
    finally:
        os._exit(0)


def _stored(error: BaseException) -> tuple[type[BaseException], Any, dict[str, Any]]:
    error.add_note("".join(traceback.format_exception(error)))
    stored = (type(error), error.args, error.__dict__)
    try:
        pickle.dumps(stored)
    except (pickle.PicklingError, TypeError, AttributeError):
        return RuntimeError, (repr(error),), {"__notes__": error.__notes__}
    return stored


def _end_with(parent: int) -> None:
    """Have the kernel (Linux) end this process with the one that waits for it."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _fence_in(limits: Limits) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    faulthandler.disable()  # the parent says what its death means
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(FIRST_TO_GO)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_CPU, limits.reader_seconds)
    _lower(resource.RLIMIT_NOFILE, max(map(int, os.listdir("/dev/fd"))) + MORE_FILES)
    _lower(resource.RLIMIT_AS, _memory_now() + limits.reader_memory)


def _lower(limit: int, wanted: int) -> None:
    """Lower a limit; a system that does not have it leaves it as it is."""
    soft, hard = resource.getrlimit(limit)
    if soft == resource.RLIM_INFINITY or wanted < soft:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(limit, (wanted, hard))


def _memory_now() -> int:
    """The address space that the child has from its parent, of which it needs little."""
    with contextlib.suppress(OSError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        return pages * resource.getpagesize()
    return 0
