"""Creates the virtual environment of requirements.txt in a directory, once: prints the reason if it cannot.

Whoever comes second waits for the first. Every package is pinned, so pip need not look for what they depend on.
"""

import fcntl
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

# A tiny package, fetched to see whether the index is reachable; later errors are failures.
PROBE = "databackend==0.0.3"
QUICK = ["--retries", "0", "--timeout", "10"]


def pip(*arguments):
    command = [sys.executable, "-m", "pip", *arguments]
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def make(directory, requirements):
    if sys.version_info < (3, 11):
        return f"the clients need Python 3.11, this is {sys.version.split()[0]}"
    with tempfile.TemporaryDirectory() as nowhere:
        probe = pip("download", "--quiet", "--no-deps", "--no-cache-dir", *QUICK, "--dest", nowhere, PROBE)
    if probe.returncode != 0:
        return f"PyPI is not reached: {(probe.stderr.strip().splitlines() or ['pip failed'])[-1]}"
    shutil.rmtree(directory, ignore_errors=True)
    venv.create(directory, with_pip=False)
    wanted = ["--quiet", "--no-deps", "--no-compile", "--only-binary", ":all:", "--requirement", requirements]
    installed = pip("--python", f"{directory}/bin/python", "install", *wanted)
    if installed.returncode != 0:
        sys.exit(installed.stderr)
    (directory / "complete").touch()
    return ""


def main(directory, requirements):
    directory.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{directory}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        print("" if (directory / "complete").exists() else make(directory, requirements), end="")


main(Path(sys.argv[1]), sys.argv[2])
