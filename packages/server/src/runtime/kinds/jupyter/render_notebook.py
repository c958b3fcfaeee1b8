"""Executes a notebook and converts it to HTML: render_notebook.py PYTHON NOTEBOOK OUTPUT VALUES [OPTION]
PYTHON runs this file, too, as the kernel: render_notebook.py --kernel -f CONNECTION

Imports take most of the time of a rendering: unused modules are left out, or loaded on first use.

PYTHON runs the kernel; OUTPUT gets index.html and the files of the bundle that the page refers to.
VALUES is a JSON file with values for the cell tagged `parameters`, or empty for the notebook's own values.
OPTION hides code: --hide-all-input, or --hide-tagged-input for cells with the tag hide_input.
"""

import base64
import html
import importlib.util
import json
import keyword
import logging
import os
import re
import runpy
import shutil
import sys
import types
import urllib.parse
from contextlib import contextmanager, suppress

KERNEL = "pressroom"
# nbconvert options that hide code.
HIDDEN = {
    "--hide-all-input": ["--no-input"],
    "--hide-tagged-input": [
        "--TagRemovePreprocessor.enabled=True",
        "--TagRemovePreprocessor.remove_input_tags=hide_input",
    ],
}
# Where pages load their scripts from: the defaults of nbconvert.
CDN = "https://cdnjs.cloudflare.com/ajax/libs"


def main(python, notebook, output, values, *options):
    temporary = os.environ["TMPDIR"]
    install_kernel(python, os.path.join(temporary, "jupyter"))
    os.environ["JUPYTER_RUNTIME_DIR"] = os.path.join(temporary, "runtime")
    os.environ["IPYTHONDIR"] = os.path.join(temporary, "ipython")
    refuse_other_languages(notebook)
    if values:
        inject(notebook, values)
    convert(notebook, output, [word for option in options for word in HIDDEN[option]])
    copy_shown_files(output)
    write_mail(output)


def install_kernel(python, directory):
    """Creates a kernel specification, used whatever kernel the notebook names."""
    path = os.path.join(directory, "kernels", KERNEL)
    os.makedirs(path)
    argv = [python, os.path.abspath(__file__), "--kernel", "-f", "{connection_file}"]
    with open(os.path.join(path, "kernel.json"), "w", encoding="utf-8") as file:
        json.dump({"argv": argv, "display_name": "Python 3", "language": "python"}, file)
    os.environ["JUPYTER_PATH"] = directory


def refuse_other_languages(notebook):
    with open(notebook, encoding="utf-8") as file:
        try:
            metadata = json.load(file).get("metadata", {})
        except (ValueError, AttributeError):
            sys.exit(f"Error: {notebook} is no notebook: save it again in Jupyter")
    language = (
        metadata.get("language_info", {}).get("name")
        or metadata.get("kernelspec", {}).get("language")
        or "python"
    )
    if "python" not in language.lower():
        sys.exit(f"Error: {notebook} has a kernel for {language}; only Python notebooks can be rendered")


def inject(notebook, values):
    """Adds a cell after the one tagged `parameters`. Its values are Python literals, never code."""
    with open(values, encoding="utf-8") as file:
        given = json.load(file)
    names = [name for name in given if name.isidentifier() and not keyword.iskeyword(name)]
    if not names:
        return
    with open(notebook, encoding="utf-8") as file:
        content = json.load(file)
    cells = content["cells"]
    at = next(i for i, cell in enumerate(cells) if "parameters" in cell.get("metadata", {}).get("tags", []))
    cells.insert(
        at + 1,
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {"tags": ["injected-parameters"]},
            "outputs": [],
            "source": "\n".join(f"{name} = {given[name]!r}" for name in names),
        },
    )
    with open(notebook, "w", encoding="utf-8") as file:
        json.dump(content, file)


def convert(notebook, output, hidden):
    # Imported here: the modules read the environment when they are loaded.
    # Where nbconvert and jupyter_client search for kernels, and Python names for highlighting.
    load_below("IPython", "paths", "lib.lexers")
    if spec := importlib.util.find_spec("bs4"):
        defer(spec)
    compile_schemas_once()
    with absent("nbconvert.postprocessors.serve"):
        from nbconvert.exporters import base
    from nbclient.exceptions import CellExecutionError, DeadKernelError
    from traitlets.config import Config

    # The command's help text lists all exporters, and instantiates each several times.
    names, base.get_export_names = base.get_export_names, lambda: ["html"]
    from nbconvert.nbconvertapp import NbConvertApp

    base.get_export_names = names
    config = Config()
    config.HTMLExporter.preprocessors = [drawings_as_images()]
    argv = [
        "--to=html",
        *(["--execute"] if has_code(notebook) else []),
        f"--ExecutePreprocessor.kernel_name={KERNEL}",
        # The rendering has a time limit as a whole.
        "--ExecutePreprocessor.timeout=-1",
        # No port, which others on the machine could connect to.
        "--KernelManager.transport=ipc",
        # Debian's nbconvert refers to local files here, which visitors do not have.
        f"--HTMLExporter.require_js_url={CDN}/require.js/2.3.6/require.min.js",
        f"--HTMLExporter.jquery_url={CDN}/jquery/3.6.4/jquery.min.js",
        f"--HTMLExporter.mathjax_url={CDN}/mathjax/2.7.7/latest.js?config=TeX-AMS_CHTML-full,Safe",
        "--output=index.html",
        f"--output-dir={output}",
        *hidden,
        notebook,
    ]
    try:
        NbConvertApp.launch_instance(argv=argv, config=config)
    except CellExecutionError as error:
        # The cell and its own traceback, without that of nbconvert.
        sys.exit(str(error))
    except DeadKernelError:
        sys.exit("Error: the kernel of the notebook died")


def has_code(notebook):
    """Whether it has code cells. Older formats have cells elsewhere; nbconvert reports malformed ones."""
    with open(notebook, encoding="utf-8") as file:
        cells = json.load(file).get("cells")
    if not isinstance(cells, list):
        return True
    return any(not isinstance(cell, dict) or cell.get("cell_type") == "code" for cell in cells)


def drawings_as_images():
    """Embeds SVG as an image, in which no scripts run: nbconvert would strip it until nothing is drawn."""
    from nbconvert.preprocessors import Preprocessor

    class DrawingsAsImages(Preprocessor):
        def preprocess_cell(self, cell, resources, index):
            for result in cell.get("outputs", []):
                data = result.get("data", {})
                drawing = data.pop("image/svg+xml", None)
                if drawing is not None and "text/html" not in data:
                    encoded = base64.b64encode("".join(drawing).encode()).decode()
                    data["text/html"] = f'<img alt="" src="data:image/svg+xml;base64,{encoded}">'
            return cell, resources

    return DrawingsAsImages


def copy_shown_files(output):
    """Copies pictures and other files of the bundle that the page refers to."""
    with open(os.path.join(output, "index.html"), encoding="utf-8") as file:
        page = file.read()
    # IPython's FileLink has single quotes.
    for reference in set(re.findall(r'''\b(?:src|href)=(?:"([^"#?:]+)|'([^'#?:]+))''', page)):
        path = os.path.normpath(urllib.parse.unquote(html.unescape("".join(reference))))
        target = os.path.join(output, path)
        if path.startswith(("/", "..")) or not os.path.isfile(path) or os.path.exists(target):
            continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(path, target)


def write_mail(output):
    """Writes the notebook's mail settings, and copies the attachments."""
    if not os.path.isfile(".output_metadata.json"):
        return
    with open(".output_metadata.json", encoding="utf-8") as file:
        try:
            said = {name: value for name, value in json.load(file).items() if name.startswith("rsc_email_")}
        except (ValueError, AttributeError) as error:
            sys.exit(f"Error: the notebook wrote no JSON object to .output_metadata.json: {error}")
    attachments = said.get("rsc_email_attachments", [])
    for reference in attachments if isinstance(attachments, list) else [attachments]:
        if not isinstance(reference, str):
            continue
        path = os.path.normpath(reference)
        target = os.path.join(output, path)
        if path.startswith(("/", "..")) or not os.path.isfile(path) or os.path.exists(target):
            continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(path, target)
    with open(os.path.join(output, ".pressroom-mail.json"), "w", encoding="utf-8") as file:
        json.dump(said, file)


class Deferred(types.ModuleType):
    """A module whose code runs on first use of one of its names; for a package, also when a submodule is imported.

    With importlib's LazyLoader it would run at the next `import` (Python 3.11).
    """

    def __getattr__(self, name):
        places = self.__spec__.submodule_search_locations
        if name == "__path__" and places is None:
            # `from` checks whether it is a package.
            raise AttributeError(name)
        self.__class__ = types.ModuleType
        if places is not None:
            self.__path__ = places
        self.__spec__.loader.exec_module(self)
        return getattr(self, name)


def defer(spec):
    """The module of a specification, not executed yet."""
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    module.__dict__.pop("__path__", None)
    module.__class__ = Deferred
    return module


def load_below(package, *names):
    """Imports these modules without running their package, which still runs for whoever imports it later."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        return
    sys.modules[package] = importlib.util.module_from_spec(spec)
    wanted = [package + "." + name for name in names]
    for name in wanted:
        with suppress(ImportError):
            importlib.import_module(name)
    for name in list(sys.modules):
        if name.partition(".")[0] == package and name not in wanted:
            del sys.modules[name]


@contextmanager
def absent(*names):
    """Makes optional imports of these modules fail, so that they are not loaded."""
    hidden = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


def compile_schemas_once():
    """Caches validators: nbformat compiles the same schema for each check, and nbconvert checks a dozen times."""
    with suppress(ImportError):
        import fastjsonschema

        make, made = fastjsonschema.compile, {}

        def compile_once(schema, *arguments, **options):
            key = json.dumps([schema, arguments, options], default=repr)
            if key not in made:
                made[key] = make(schema, *arguments, **options)
            return made[key]

        fastjsonschema.compile = compile_once


def run_kernel():
    """Like `python -m ipykernel_launcher`, without a debugger and completions, which nobody can use."""
    sys.path[0] = os.getcwd()
    del sys.argv[1]
    embed = defer_embed()
    # Logged at each start without a debugger.
    logging.getLogger("IPKernelApp").addFilter(lambda record: "debugpy" not in str(record.msg))
    with absent("debugpy", "jedi"), suppress(ImportError):
        importlib.import_module("ipykernel.kernelapp")
    if embed and (terminal := sys.modules.get("IPython.terminal")):
        terminal.embed = embed
    runpy.run_module("ipykernel_launcher", run_name="__main__", alter_sys=True)


def defer_embed():
    """Defers IPython's terminal shell, which is loaded only for this function."""
    package = importlib.util.find_spec("IPython")
    path = package and os.path.join(os.path.dirname(package.origin or ""), "terminal", "embed.py")
    if not path or not os.path.isfile(path):
        return None
    module = defer(importlib.util.spec_from_file_location("IPython.terminal.embed", path))

    def embed(*arguments, **options):
        if module.embed is embed:
            del module.embed
        return module.embed(*arguments, **options)

    module.embed = embed
    return module


if __name__ == "__main__":
    if sys.argv[1] == "--kernel":
        run_kernel()
    else:
        main(*sys.argv[1:])
