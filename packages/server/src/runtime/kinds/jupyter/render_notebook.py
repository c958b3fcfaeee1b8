"""Executes a notebook and makes a page of it: render_notebook.py PYTHON NOTEBOOK OUTPUT VALUES [OPTION]

PYTHON runs the kernel; OUTPUT gets index.html and the files of the bundle that the page shows.
VALUES is a JSON file with values for the cell tagged `parameters`, or empty for those of the notebook.
OPTION hides code: --hide-all-input, or --hide-tagged-input for cells with the tag hide_input.
"""

import base64
import json
import keyword
import os
import re
import shutil
import sys
import urllib.parse

KERNEL = "pressroom"
# What nbconvert is told where the publisher wants code hidden.
HIDDEN = {
    "--hide-all-input": ["--no-input"],
    "--hide-tagged-input": [
        "--TagRemovePreprocessor.enabled=True",
        "--TagRemovePreprocessor.remove_input_tags=hide_input",
    ],
}
# Where pages of notebooks get their scripts from, as those of every nbconvert do.
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
    """A kernel of our own, whatever the notebook calls its own."""
    path = os.path.join(directory, "kernels", KERNEL)
    os.makedirs(path)
    argv = [python, "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
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
    """Adds a cell behind the one tagged `parameters`. It has literals only: what Python writes for values of JSON."""
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
    # Only now: the modules read the environment when they are loaded.
    from nbclient.exceptions import CellExecutionError, DeadKernelError
    from nbconvert.nbconvertapp import NbConvertApp
    from traitlets.config import Config

    config = Config()
    config.HTMLExporter.preprocessors = [drawings_as_images()]
    argv = [
        "--to=html",
        "--execute",
        f"--ExecutePreprocessor.kernel_name={KERNEL}",
        # The time a rendering may take is limited as a whole.
        "--ExecutePreprocessor.timeout=-1",
        # No port that others on the machine could reach.
        "--KernelManager.transport=ipc",
        # Debian's nbconvert names files of the machine here, which no visitor has.
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


def drawings_as_images():
    """Of SVG, nbconvert leaves nothing that could run scripts, and so no drawing; in an image, none can run."""
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
    """Pictures and other files of the bundle that the page refers to."""
    with open(os.path.join(output, "index.html"), encoding="utf-8") as file:
        page = file.read()
    for reference in set(re.findall(r'\b(?:src|href)="([^"#?:]+)', page)):
        path = os.path.normpath(urllib.parse.unquote(reference))
        target = os.path.join(output, path)
        if path.startswith(("/", "..")) or not os.path.isfile(path) or os.path.exists(target):
            continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(path, target)


def write_mail(output):
    """What the notebook says of the mail that it is sent by, and the files that the mail has."""
    if not os.path.isfile(".output_metadata.json"):
        return
    with open(".output_metadata.json", encoding="utf-8") as file:
        said = {name: value for name, value in json.load(file).items() if name.startswith("rsc_email_")}
    attachments = said.get("rsc_email_attachments", [])
    for reference in [attachments] if isinstance(attachments, str) else attachments:
        path = os.path.normpath(reference)
        target = os.path.join(output, path)
        if path.startswith(("/", "..")) or not os.path.isfile(path) or os.path.exists(target):
            continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(path, target)
    with open(os.path.join(output, ".pressroom-mail.json"), "w", encoding="utf-8") as file:
        json.dump(said, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
