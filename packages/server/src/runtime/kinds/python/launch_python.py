"""Runs a Python application on a unix socket: launch_python.py FRAMEWORK SOCKET ENTRY

ENTRY is MODULE, MODULE:OBJECT, MODULE:FUNCTION() of a function that makes the object, or a file. Each request carries the path that visitors see before the application's own
in X-Forwarded-Prefix: it becomes what the framework calls root path, script name or prefix, so that links are right.
"""

import importlib
import importlib.util
import inspect
import os
import runpy
import secrets
import sys
import threading
import types
from contextlib import contextmanager, suppress
from contextvars import ContextVar

# Default object names if the entry point is only a module.
USUAL_NAMES = ("app", "application", "create_app", "make_app")
# Path prefix that the visitor of this request sees.
PREFIX = ContextVar("prefix", default="")


# What starts a server of its own: modules, and the functions and methods in them.
OWN_SERVERS = {
    "uvicorn": ("run", "Server.run", "Server.serve"),
    "hypercorn.asyncio": ("serve",),
    "quart": ("Quart.run",),
    "shiny": ("run_app", "App.run"),
    # Flask's own notice does not turn off the development tools of Dash.
    "dash": ("Dash.run", "Dash.run_server"),
    "flask_socketio": ("SocketIO.run",),
    "bottle": ("run",),
    "waitress": ("serve",),
}


@contextmanager
def without_own_servers():
    """A module that calls app.run(), uvicorn.run() or the like would never end to load: here they return at once."""
    is_loading = True

    def tell_of_port(event, details):
        # Port 0 is any free port, as libraries use it.
        if event == "socket.bind" and is_loading and is_main_thread():
            address = details[1]
            if isinstance(address, tuple) and address[1] != 0:
                print(f"While it is loaded, this application listens on port {address[1]}.", file=sys.stderr)

    sys.addaudithook(tell_of_port)
    # As under the command "flask run", where Flask says so itself.
    os.environ["FLASK_RUN_FROM_CLI"] = "true"
    replaced = []
    for module, paths in OWN_SERVERS.items():
        for path in paths:
            *owners, name = path.split(".")
            owner = sys.modules.get(module)
            for part in owners:
                owner = getattr(owner, part, None)
            if hasattr(owner, name):
                original = getattr(owner, name)
                ignoring = ignore(original)
                replaced.append((owner, name, original, ignoring))
                setattr(owner, name, ignoring)
    yield
    is_loading = False
    for owner, name, original, ignoring in replaced:
        # The module may have replaced it by its own.
        if getattr(owner, name) is ignoring:
            setattr(owner, name, original)
    del os.environ["FLASK_RUN_FROM_CLI"]


def import_those_there(*modules):
    """Before the application, which may call their run(). What fails here fails there, if it is used."""
    for module in modules:
        with suppress(Exception):
            importlib.import_module(module)


def is_main_thread():
    """A server in another thread does not keep the module from loading."""
    return threading.current_thread() is threading.main_thread()


def ignore(serve):
    def ignoring(*args, **options):
        if not is_main_thread():
            return serve(*args, **options)
        guard = 'if __name__ == "__main__":'
        print(f"Ignored run(): the application is started here. Call it only below {guard}", file=sys.stderr)
        return nothing() if inspect.iscoroutinefunction(serve) else None

    return ignoring


async def nothing():
    pass


def load(entry):
    """Loads the object of an entry point."""
    module, _, name = entry.partition(":")
    with without_own_servers():
        loaded = importlib.import_module(module.removesuffix(".py").replace("/", "."))
    if name == "":
        name = next((usual for usual in USUAL_NAMES if hasattr(loaded, usual)), "app")
    target = loaded
    for part in name.removesuffix("()").split("."):
        target = getattr(target, part)
    return target() if name.endswith("()") or name in ("create_app", "make_app") else target


def file_of(entry):
    """The file of an entry point, which is a file or a module."""
    module = entry.partition(":")[0]
    if os.path.exists(module):
        return module
    path = module.replace(".", os.sep)
    return path if os.path.isdir(path) else path + ".py"


def checked_file_of(entry):
    """The file of an entry point that its framework reads at the first visit only: a syntax error is one at the start."""
    file = file_of(entry)
    if file.endswith(".py") and os.path.isfile(file):
        with open(file, "rb") as source:
            compile(source.read(), file, "exec", dont_inherit=True)
    return file


def path_holds_root():
    """Whether request paths include the root path, as in ASGI; not in Starlette before 0.33."""
    from importlib.metadata import PackageNotFoundError, version

    for package, since in (("starlette", (0, 33)), ("uvicorn", (0, 26))):
        try:
            return tuple(int(part) for part in version(package).split(".")[:2]) >= since
        except (PackageNotFoundError, ValueError):
            continue
    return True


def with_root_path(app):
    holds_root = path_holds_root()

    async def serve(scope, receive, send):
        prefix = dict(scope.get("headers") or ()).get(b"x-forwarded-prefix")
        if prefix is not None:
            scope = {**scope, "root_path": prefix.decode("latin-1")}
            if holds_root:
                scope["path"] = scope["root_path"] + scope["path"]
                scope["raw_path"] = prefix + scope.get("raw_path", b"")
        await app(scope, receive, send)

    return serve


def with_script_name(app):
    def serve(environ, start_response):
        prefix = environ.get("HTTP_X_FORWARDED_PREFIX", "")
        PREFIX.set(prefix)
        environ["SCRIPT_NAME"] = prefix
        environ["wsgi.url_scheme"] = environ.get("HTTP_X_FORWARDED_PROTO", "http")
        # A unix socket has no peer address.
        environ["REMOTE_ADDR"] = environ.get("HTTP_X_FORWARDED_FOR", "")
        return app(environ, start_response)

    return serve


def serve_asgi(entry, socket):
    import_those_there("uvicorn", "quart", "hypercorn.asyncio")
    run_uvicorn(load(entry), socket)


def serve_shiny(entry, socket):
    import_those_there("uvicorn", "shiny")
    run_uvicorn(load(entry), socket)


def run_uvicorn(app, socket):
    import uvicorn

    # The proxy in front closes idle connections first.
    uvicorn.run(
        with_root_path(app),
        uds=socket,
        timeout_keep_alive=3600,
        proxy_headers=True,
        forwarded_allow_ips="*",
        ws=websocket_protocol(),
        # A line for each request would push the application's own output out of its log.
        access_log=False,
    )


def websocket_protocol():
    """The first that can be imported: the system's websockets may be too old for the content's uvicorn."""
    from uvicorn.config import WS_PROTOCOLS
    from uvicorn.importer import import_from_string

    for name in ("auto", "websockets", "wsproto"):
        with suppress(ImportError):
            import_from_string(WS_PROTOCOLS[name])
            return name
    print("WebSockets are off: list websockets in requirements.txt.", file=sys.stderr)
    return "none"


class LoadedWhenUsed(types.ModuleType):
    """A module that is loaded on first use."""

    def __getattr__(self, attribute):
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), attribute)


def serve_wsgi(make_app, socket):
    # gunicorn before 21 imports it for a case not used here, which takes longer than all other imports.
    if importlib.util.find_spec("pkg_resources"):
        sys.modules.setdefault("pkg_resources", LoadedWhenUsed("pkg_resources"))
    from gunicorn.app.base import BaseApplication

    class Application(BaseApplication):
        def load_config(self):
            settings = {
                "bind": "unix:" + socket,
                "workers": 1,
                "worker_class": "gthread",
                "threads": 8,
                "keepalive": 3600,
                "timeout": 0,
                # The server has limits of its own, beyond the default ones.
                "limit_request_line": 0,
                "limit_request_field_size": 0,
                "preload_app": True,
                "worker_tmp_dir": "/dev/shm",
                "proc_name": "python-api",
            }
            # Newer versions only: a control socket in the home directory.
            if "control_socket_disable" in self.cfg.settings:
                settings["control_socket_disable"] = True
            for name, value in settings.items():
                self.cfg.set(name, value)

        def load(self):
            return with_script_name(app)

    # Not in load(): gunicorn tells of a RuntimeError without its traceback.
    app = make_app()
    Application().run()


def serve_wsgi_module(entry, socket):
    import_those_there("bottle", "flask_socketio", "waitress")
    serve_wsgi(lambda: load(entry), socket)


def with_seen_prefix(app, start):
    """Replaces the default prefix in responses with the one that this visitor sees."""

    def serve(environ, start_response):
        prefix = environ.get("HTTP_X_FORWARDED_PREFIX", "")
        if prefix == start:
            return app(environ, start_response)
        environ.pop("HTTP_ACCEPT_ENCODING", None)
        answered = []
        body = app(environ, lambda *head: answered.append(head) or (lambda data: None))
        status, headers, *more = answered[-1]
        kind = dict((name.lower(), value) for name, value in headers).get("content-type", "")
        if kind.startswith(("application/json", "text/html")):
            try:
                text = b"".join(body)
                # Plain, and as plotly escapes it. The visitor's prefix may contain the default one.
                for slash in ("/", "\\u002f"):
                    old, new = (f"{path}/".replace("/", slash).encode() for path in (start, prefix))
                    text = new.join(part.replace(old, new) for part in text.split(new))
            finally:
                getattr(body, "close", lambda: None)()
            body = [text]
            if text:
                headers = [header for header in headers if header[0].lower() != "content-length"]
                headers.append(("Content-Length", str(len(text))))
        start_response(status, headers, *more)
        return body

    return serve


def serve_dash(entry, socket):
    """A Dash object or its server. Its pages contain their address: the one that the visitor sees."""
    module = importlib.import_module("dash.dash")
    # Layouts and pages are mostly created at the start: with the default address.
    start = "/content/" + os.environ.get("CONNECT_CONTENT_GUID", "")
    usual = [start]

    class Config(module.AttributeDict):
        def __getitem__(self, key):
            if key == "requests_pathname_prefix":
                return (PREFIX.get() or usual[-1]) + "/"
            return super().__getitem__(key)

    module.AttributeDict = Config
    # The proxy removes the prefix, whatever the author's settings are.
    module.pathname_configs = lambda *given: (None, "/", "/")
    # Paths of redirects have no prefix, either; the proxy rewrites their targets.
    pages = sys.modules.get("dash._pages")
    set_redirect = getattr(pages, "_set_redirect", None)

    def set_redirect_at_root(*given):
        usual.append("")
        set_redirect(*given)
        usual.pop()

    if set_redirect is not None:
        pages._set_redirect = set_redirect_at_root
    target = load(entry)
    app = getattr(target, "server", target)
    if inspect.iscoroutinefunction(type(app).__call__):
        raise TypeError(f"Dash on {type(app).__name__} is not supported: create the application on Flask")
    serve_wsgi(lambda: with_seen_prefix(app, start), socket)


def serve_gradio(entry, socket):
    """The entry point's object, or the one that its module launches, also as a script: launch() is replaced."""
    import fastapi
    import gradio

    launched = []
    gradio.Blocks.launch = lambda self, *args, **options: launched.append(self)
    os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
    module, _, name = entry.partition(":")
    loaded = importlib.import_module(module.removesuffix(".py"))
    blocks = getattr(loaded, name or "demo", None)
    if name == "" and not isinstance(blocks, gradio.Blocks):
        blocks = None
        if not launched:
            # Launched below if __name__ == "__main__".
            runpy.run_path(loaded.__file__, run_name="__main__")
    if blocks is None:
        blocks = launched[-1] if launched else load(entry)
    run_uvicorn(gradio.mount_gradio_app(fastapi.FastAPI(), blocks, path="/"), socket)


def serve_marimo(entry, socket):
    file = checked_file_of(entry)
    import marimo

    builder = marimo.create_asgi_app(quiet=True)
    run_uvicorn(builder.with_app(path="/", root=file).build(), socket)


def read_streamlit_options():
    """Reads options from the environment, which only Streamlit's command does."""
    import click
    from streamlit.web import bootstrap, cli

    @click.command()
    @cli.configurator_options
    def read(**options):
        bootstrap.load_config_options(flag_options=options)

    read.main(args=[], standalone_mode=False)


def serve_streamlit(entry, socket):
    file = checked_file_of(entry)
    settings = {
        "SERVER_HEADLESS": "true",
        "SERVER_FILE_WATCHER_TYPE": "none",
        # The proxy checks the origin of sockets.
        "SERVER_ENABLE_CORS": "false",
        "SERVER_ENABLE_XSRF_PROTECTION": "false",
        "BROWSER_GATHER_USAGE_STATS": "false",
        # The content's configuration may have that of another server, below which nothing would be found.
        "SERVER_BASE_URL_PATH": "/",
        "GLOBAL_DEVELOPMENT_MODE": "false",
    }
    # Values that were chosen at import may be shared with other processes.
    settings["SERVER_COOKIE_SECRET"] = secrets.token_hex()
    for name, value in settings.items():
        os.environ.setdefault("STREAMLIT_" + name, value)
    try:
        from streamlit.starlette import App
    except ImportError:
        from streamlit.web import cli

        sys.argv = ["streamlit", "run", file, "--server.address=unix://" + socket]
        cli.main()
        return
    read_streamlit_options()
    run_uvicorn(App(os.path.abspath(file)), socket)


def show_trace_of(directory):
    """Tracebacks begin with the code in the directory: what called it is the same for all content."""

    def show(kind, error, trace):
        own = trace
        while own is not None and not own.tb_frame.f_code.co_filename.startswith(directory + os.sep):
            own = own.tb_next
        if own is None and isinstance(error, SyntaxError):
            # Python prints its file and line, but no beginning, if there is no trace.
            print("Traceback (most recent call last):", file=sys.stderr)
        elif own is None:
            own = trace
        sys.__excepthook__(kind, error.with_traceback(own), own)

    sys.excepthook = show


SERVE = {
    "asgi": serve_asgi,
    "wsgi": serve_wsgi_module,
    "shiny": serve_shiny,
    "dash": serve_dash,
    "gradio": serve_gradio,
    "marimo": serve_marimo,
    "streamlit": serve_streamlit,
}

if __name__ == "__main__":
    framework, path, target = sys.argv[1:]
    sys.path.insert(0, os.getcwd())
    show_trace_of(os.getcwd())
    SERVE[framework](target, path)
