"""Loads the packages of Python content, runs none of its code, and forks a process for each order.

prepared.py CHANNEL SCRIPT PACKAGES SKIPPED

CHANNEL is a directory of named pipes that only the server can write to. Its pipe "orders" has lines "fork N" and a
last one, "end". A child writes its output to "N.out" and "N.err", and reads its arguments and environment from "N.in";
"N.end" gets its pid and exit status. SCRIPT is run by the child. PACKAGES are those of the framework, SKIPPED those not
to be loaded.
"""

import ast
import contextlib
import ctypes
import gc
import importlib
import importlib.util
import os
import signal
import stat
import sys
import types
from collections.abc import MutableMapping
from urllib.parse import unquote

# Packages with devices, other runtimes or threads: each process loads them itself.
UNSAFE = {
    "cudf", "cupy", "grpc", "h2o", "jax", "jnius", "jpype", "numba.cuda", "pycuda", "pyspark", "ray", "rpy2", "tensorflow",
    "torch", "uvloop",
}  # fmt: skip
# Their libraries stop their threads before a fork and start them again after it (pthread_atfork).
SAFE_THREADS = {"jemalloc_bg_thd"}
# Creates its thread pools again in a child from this version on.
PYARROW_SINCE = 12
MAX_FILES, MAX_BYTES, MAX_NAMES = 200, 2**20, 200


def say(line):
    os.write(1, ("@prepared " + line + "\n").encode())


def threads():
    found = []
    for task in os.listdir("/proc/self/task"):
        if int(task) == os.getpid():
            continue
        try:
            with open("/proc/self/task/" + task + "/comm", encoding="utf-8") as file:
                found.append(file.read().strip())
        except OSError:
            continue
    return [name for name in found if name not in SAFE_THREADS]


def algebra_threads():
    """Threads of OpenBLAS, which ends them before a fork and starts them again on use (pthread_atfork)."""
    with open("/proc/self/maps", encoding="utf-8") as file:
        paths = {line.split(None, 5)[-1].strip() for line in file if "openblas" in line}
    count = 0
    for path in paths:
        library = ctypes.CDLL(path)
        names = (p + "_get_num_threads" + s for p in ("openblas", "scipy_openblas") for s in ("", "64_", "_64_"))
        found = next((getattr(library, name) for name in names if hasattr(library, name)), None)
        count += found() - 1 if found else 0
    return count


def connections():
    """Descriptors that a child would share with its siblings: sockets, pipes, epoll and the like."""
    found = []
    for fd in map(int, os.listdir("/proc/self/fd")):
        if fd < 3:
            continue
        try:
            mode = os.fstat(fd).st_mode
            if stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode) or os.readlink(f"/proc/self/fd/{fd}").startswith("anon_inode:"):
                found.append(fd)
        except OSError:
            continue
    return found


def danger():
    """Why a fork would be unsafe; None if it is safe."""
    if (running := len(threads())) and (running := running - algebra_threads()) > 0:
        return f"runs {running} threads"
    if open_now := [fd for fd in connections() if fd not in inherited]:
        return f"has {len(open_now)} connections open"
    if loaded := sorted(UNSAFE & sys.modules.keys()):
        return "uses " + loaded[0]
    arrow = sys.modules.get("pyarrow")
    if arrow and int(getattr(arrow, "__version__", "0").split(".")[0]) < PYARROW_SINCE:
        return "uses an older pyarrow"
    return None


class Recorder(MutableMapping):
    """Records the names that are read from the environment: a package that read one would not see the child's value."""

    def __init__(self, real):
        self.real, self.names = real, set()

    def __getitem__(self, name):
        self.names.add(name)
        return self.real[name]

    def __setitem__(self, name, value):
        self.real[name] = value

    def __delitem__(self, name):
        del self.real[name]

    def __iter__(self):
        self.names.add("*")
        return iter(self.real)

    def __len__(self):
        return len(self.real)

    def __getattr__(self, name):
        return getattr(self.real, name)


def own_names():
    """Names of the content's own modules, which are not run here."""
    return {name.removesuffix(".py").split(".")[0] for name in os.listdir(".")}


def named_in(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield from ((node.module, alias.name) for alias in node.names)


def named_by_content():
    """Imports of its sources, in order. They are parsed, not run."""
    names, files = {}, 0
    for directory, below, found in os.walk("."):
        below[:] = sorted(name for name in below if not name.startswith(".") and name != "__pycache__")
        for name in sorted(found):
            path = os.path.join(directory, name)
            if not name.endswith(".py") or files >= MAX_FILES or not os.path.isfile(path):
                continue
            files += 1
            try:
                with open(path, "rb") as file:
                    tree = ast.parse(file.read(MAX_BYTES))
            except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
                continue
            names.update(dict.fromkeys(named_in(tree)))
    return list(names)[:MAX_NAMES]


def load(module, member, skipped):
    root = module.split(".")[0]
    if root in skipped or module in skipped or root in UNSAFE:
        return
    try:
        loaded = importlib.import_module(module)
        if member and member != "*" and not hasattr(loaded, member):
            importlib.import_module(module + "." + member)
    except (Exception, SystemExit):
        # Its process will report the error in its own log.
        pass
    if why := danger():
        say(f"unsafe {root} {why}")
        os._exit(3)


def search_components():
    """Streamlit reads the metadata of all installed packages, with the same result in each process."""
    if any(name.endswith((".dist-info", ".egg-info")) for name in os.listdir(".")):
        return
    scanner = importlib.import_module("streamlit.components.v2.manifest_scanner")
    found = scanner.scan_component_manifests()
    scanner.scan_component_manifests = lambda max_workers=None: list(found)


def write_columns():
    """Arrow allocates 4 MB for the first table that is written, as in Streamlit's pages."""
    import pyarrow

    if "pandas" in sys.modules:
        table = pyarrow.Table.from_pandas(sys.modules["pandas"].DataFrame({"a": [1]}), nthreads=1)
    else:
        table = pyarrow.table({"a": [1]})
    options = pyarrow.ipc.IpcWriteOptions(use_threads=False)
    with pyarrow.ipc.new_stream(pyarrow.BufferOutputStream(), table.schema, options=options) as stream:
        stream.write_table(table)


# Work of a framework at each start, with the same result, by package.
ONCE = {"streamlit": search_components, "pyarrow": write_columns}


def do_once(package, skipped):
    if package not in sys.modules or package in skipped:
        return
    try:
        ONCE[package]()
    except Exception:
        # Its process does it itself.
        pass
    if why := danger():
        say(f"unsafe {package} {why}")
        os._exit(3)


def prepare(packages, skipped):
    real = os.environ
    os.environ = Recorder(real)
    own = own_names()
    try:
        for name in packages:
            load(name, None, skipped)
        for module, member in named_by_content():
            if module.split(".")[0] not in own:
                load(module, member, skipped)
        for name in ONCE:
            do_once(name, skipped)
    finally:
        names, os.environ = os.environ.names, real
    plain = sorted(name for name in names if name == "*" or name.isidentifier())
    say("reads " + " ".join(plain))
    gc.collect()
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
    # The garbage collector ignores existing objects from here on, so that their memory stays shared.
    gc.freeze()


def become(fd, path):
    opened = os.open(path, os.O_WRONLY)
    os.dup2(opened, fd)
    os.close(opened)


def go_on(channel, number, script):
    """In a child: sets output, arguments, environment, seeds and directories; then does what a normal start does."""
    become(1, f"{channel}/{number}.out")
    become(2, f"{channel}/{number}.err")
    arguments, variables = [], {}
    with open(f"{channel}/{number}.in", encoding="ascii") as file:
        for line in file:
            kind, _, text = line.rstrip("\n").partition(" ")
            if kind == "arg":
                arguments.append(unquote(text))
            elif kind == "env":
                name, _, value = text.partition("=")
                variables[name] = unquote(value, errors="surrogateescape")
            elif kind == "go":
                break
    os.environ.clear()
    os.environ.update(variables)
    os.setsid()
    os.makedirs(os.environ["TMPDIR"], 0o750, exist_ok=True)
    tempfile = sys.modules.get("tempfile")
    if tempfile:
        tempfile.tempdir = None
    # The module `random` seeds itself after a fork.
    numpy = sys.modules.get("numpy.random")
    if numpy:
        numpy.seed()
    main = types.ModuleType("__main__")
    main.__file__ = script
    main.__builtins__ = __builtins__
    sys.modules["__main__"] = main
    sys.argv = [script, *arguments]
    sys.path[0] = os.path.dirname(script)
    with open(script, "rb") as file:
        code = compile(file.read(), script, "exec")
    exec(code, main.__dict__)


children = {}


def tell(end, text):
    """Writes to the server, which may have stopped waiting: that must not end the other children."""
    with contextlib.suppress(OSError):
        os.write(end, text.encode())


def note_ends(*_):
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        end = children.pop(pid, None)
        if end is None:
            continue
        code = os.waitstatus_to_exitcode(status)
        tell(end, f"code {code}\n" if code >= 0 else f"signal {-code}\n")
        os.close(end)


def serve_orders(channel, script):
    """Returns in children only."""
    signal.signal(signal.SIGCHLD, note_ends)
    with open(channel + "/orders", "rb", buffering=0) as orders:
        say("ready")
        while (line := orders.readline()) and line != b"end\n":
            word, number = line.decode("ascii").split()
            if word != "fork" or not number.isdecimal():
                continue
            try:
                end = os.open(f"{channel}/{number}.end", os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            except OSError:
                # The order was too long ago: the server has started the process without this one.
                continue
            with_child_blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
            try:
                pid = os.fork()
            except OSError:
                # For lack of memory or processes: the server starts the process without this one.
                pid = None
            if pid == 0:
                os.close(end)
                for other in children.values():
                    os.close(other)
                children.clear()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                signal.pthread_sigmask(signal.SIG_SETMASK, with_child_blocked)
                return number
            if pid is None:
                os.close(end)
            else:
                children[pid] = end
                tell(end, f"pid {pid}\n")
            signal.pthread_sigmask(signal.SIG_SETMASK, with_child_blocked)
    os._exit(0)


if __name__ == "__main__":
    given, follow, framework, left = sys.argv[1:]
    sys.argv = [follow]
    inherited = set(connections())
    # Packages only: the content's own modules are loaded by its processes.
    sys.path[0] = os.path.dirname(follow)
    prepare([name for name in framework.split(",") if name], {name for name in left.split(",") if name})
    go_on(given, serve_orders(given, follow), follow)
