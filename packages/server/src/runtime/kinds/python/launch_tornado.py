"""Runs a Bokeh, Panel or Voila application on a unix socket: launch_tornado.py FRAMEWORK SOCKET ENTRY

All three answer with addresses below a prefix that they want to know at the start. Visitors can see the same process
below several: each request says its own in X-Forwarded-Prefix.
"""

import json
import os
import sys
import tempfile

from launch_python import PREFIX, checked_file_of


def let_server_connect():
    """Lets other accounts connect, which Tornado prevents. The socket's directory is private."""
    from tornado import netutil

    bind = netutil.bind_unix_socket
    netutil.bind_unix_socket = lambda file, mode=0o666, **options: bind(file, mode=0o666, **options)


def with_directory(file):
    """The directory of a main.py: templates, static files and a theme beside it are read only if that is run."""
    if os.path.normpath(file) != "main.py":
        return file
    # Addresses have the directory's name, and keep it in every deploy.
    link = os.path.join(tempfile.mkdtemp(), "main")
    os.symlink(os.getcwd(), link)
    return link


def serve_bokeh(command, entry, socket):
    file = with_directory(checked_file_of(entry))
    from bokeh.server.tornado import BokehTornado

    find_handler = BokehTornado.find_handler

    def find(self, request, **options):
        # Each connection is a separate task with its own context.
        PREFIX.set(request.headers.get("X-Forwarded-Prefix", ""))
        return find_handler(self, request, **options)

    BokehTornado.find_handler = find
    BokehTornado._prefix = property(lambda self: PREFIX.get(), lambda self, given: None)
    arguments = ["serve", file, "--unix-socket", socket, "--allow-websocket-origin", "*"]
    if command == "panel":
        from panel.command import main

        sys.argv = ["panel", *arguments]
        main()
    else:
        from bokeh.command.bootstrap import main

        main(["bokeh", *arguments])


def install_kernel(directory):
    """Provides a kernel with the content's packages, under the default name and in place of others."""
    path = os.path.join(directory, "kernels", "python3")
    os.makedirs(path)
    argv = [sys.executable, "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    with open(os.path.join(path, "kernel.json"), "w", encoding="utf-8") as file:
        json.dump({"argv": argv, "display_name": "Python 3", "language": "python"}, file)


def refuse_other_languages(notebook):
    with open(notebook, encoding="utf-8") as file:
        metadata = json.load(file).get("metadata", {})
    language = (
        metadata.get("language_info", {}).get("name")
        or metadata.get("kernelspec", {}).get("language")
        or "python"
    )
    if "python" not in language.lower():
        sys.exit(f"Error: {notebook} has a kernel for {language}; only Python notebooks can be run")


def serve_voila(entry, socket):
    if not os.path.isdir(entry):
        refuse_other_languages(entry)
    temporary = os.environ.get("TMPDIR", "/tmp")
    # Imported here: the modules read the environment when they are loaded.
    os.environ["JUPYTER_PATH"] = os.path.join(temporary, "jupyter")
    os.environ["JUPYTER_RUNTIME_DIR"] = os.path.join(temporary, "runtime")
    os.environ["IPYTHONDIR"] = os.path.join(temporary, "ipython")
    install_kernel(os.environ["JUPYTER_PATH"])
    # First: if it is missing, the error names it.
    from voila.app import Voila
    from voila.shutdown_kernel_handler import VoilaShutdownKernelHandler
    from jupyter_server.base.handlers import JupyterHandler
    from tornado.httpserver import HTTPServer
    from tornado.ioloop import IOLoop
    from tornado.netutil import bind_unix_socket

    def listen(self):
        HTTPServer(self.app).add_socket(bind_unix_socket(socket))
        self.ioloop = IOLoop.current()
        try:
            self.ioloop.start()
        finally:
            self.stop()

    Voila.listen = listen
    JupyterHandler.base_url = property(
        lambda self: self.request.headers.get("X-Forwarded-Prefix", "") + "/"
    )
    # A closed page ends its kernel, whose id nobody else knows; Voila's pages send no token with this request.
    VoilaShutdownKernelHandler.check_xsrf_cookie = lambda self: None
    options = [
        "--no-browser",
        # No port, which others on the machine could connect to.
        "--KernelManager.transport=ipc",
        # Kernels of pages that were lost. Seconds.
        "--MappingKernelManager.cull_idle_timeout=300",
        "--MappingKernelManager.cull_interval=60",
        # The default tells people to run Voila with other options.
        "--VoilaExecutor.cell_error_instruction=The log of the process has the traceback.",
    ]
    Voila.launch_instance([entry, *options])


if __name__ == "__main__":
    framework, path, target = sys.argv[1:]
    sys.path.insert(0, ".")
    let_server_connect()
    if framework == "voila":
        serve_voila(target, path)
    else:
        serve_bokeh(framework, target, path)
