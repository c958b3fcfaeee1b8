"""Runs a Python API on a unix socket: launch_python.py asgi|wsgi SOCKET MODULE:OBJECT

Each request carries the path that visitors see before the API's own in X-Forwarded-Prefix: it becomes what the two
interfaces call the root path or script name, so that links and documentation pages are right.
"""

import importlib
import os
import sys


def load(entry):
    module, _, name = entry.partition(":")
    sys.path.insert(0, os.getcwd())
    target = importlib.import_module(module)
    for part in (name or "app").split("."):
        target = getattr(target, part)
    return target


def with_root_path(app):
    async def serve(scope, receive, send):
        prefix = dict(scope.get("headers") or ()).get(b"x-forwarded-prefix")
        if prefix is not None:
            scope = {**scope, "root_path": prefix.decode("latin-1")}
        await app(scope, receive, send)

    return serve


def with_script_name(app):
    def serve(environ, start_response):
        environ["SCRIPT_NAME"] = environ.get("HTTP_X_FORWARDED_PREFIX", "")
        environ["wsgi.url_scheme"] = environ.get("HTTP_X_FORWARDED_PROTO", "http")
        return app(environ, start_response)

    return serve


def serve_asgi(entry, socket):
    import uvicorn

    # Connections are kept by the server in front, which closes them first.
    uvicorn.run(
        with_root_path(load(entry)),
        uds=socket,
        timeout_keep_alive=3600,
        proxy_headers=True,
        forwarded_allow_ips="*",
        # A line for each request would push what the application says out of its log.
        access_log=False,
    )


def serve_wsgi(entry, socket):
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
                "preload_app": True,
                "worker_tmp_dir": "/dev/shm",
                "proc_name": "python-api",
            }
            for name, value in settings.items():
                self.cfg.set(name, value)

        def load(self):
            return with_script_name(load(entry))

    Application().run()


if __name__ == "__main__":
    kind, path, target = sys.argv[1:]
    (serve_asgi if kind == "asgi" else serve_wsgi)(target, path)
