// Covers entry points: a router returned by an R file, a module in a package, a function that creates the application.
import { diagnose } from '@pressroom/api/publish';
import {
  freePort,
  publish,
  startTestServer,
  type Files,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

let server: TestServer;
let owner: Person;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.person('publisher');
});
afterAll(() => server[Symbol.asyncDispose]());

const WSGI = `def build(word="made"):
    def app(environ, start_response):
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [word.encode()]
    return app
`;

test.each<[string, string, Files]>([
  ['app:build()', 'app.py', { 'app.py': WSGI }],
  ['pkg.sub:build()', 'a module of a package', { 'pkg/__init__.py': '', 'pkg/sub.py': WSGI }],
  ['pkg/sub.py:build()', 'the file of a module', { 'pkg/__init__.py': '', 'pkg/sub.py': WSGI }],
  ['pkg:application', 'a package', { 'pkg/__init__.py': `${WSGI}application = build()\n` }],
])('%s of %s is a Python API', async (entrypoint, _what, files) => {
  const content = await publish(owner, files, { metadata: { appmode: 'python-api', entrypoint } });
  expect(content.task).toMatchObject({ code: 0 });
  expect((await server.anonymous('GET', content.path)).bytes.toString()).toBe('made');
});

/** In place of packages that the tests do not install. */
const OWN_SERVERS = {
  'waitress.py': 'def serve(app, **options): raise SystemExit("it serves")\n',
  'flask_socketio.py':
    'class SocketIO:\n    def __init__(self, app): pass\n    def run(self, app, **options): raise SystemExit("it serves")\n',
  'hypercorn/asyncio.py': 'async def serve(app, config): raise SystemExit("it serves")\n',
  'shiny.py': 'def run_app(app, **options): raise SystemExit("it serves")\n',
};

test.each([
  [
    'python-api',
    'app.run(host="0.0.0.0", port=5000, debug=True)',
    'from flask import Flask\napp = Flask(__name__)\n@app.route("/")\ndef page(): return "made"\n',
    "Ignoring a call to 'app.run()'",
  ],
  [
    'python-fastapi',
    'uvicorn.run("app:app", port=8000, reload=True)',
    'import uvicorn\nfrom fastapi import FastAPI\napp = FastAPI()\n@app.get("/")\ndef page(): return "made"\n',
    'Ignored run()',
  ],
  [
    'python-fastapi',
    'asyncio.run(uvicorn.Server(uvicorn.Config(app, port=8000)).serve())',
    'import asyncio, uvicorn\nfrom fastapi import FastAPI\napp = FastAPI()\n@app.get("/")\ndef page(): return "made"\n',
    'Ignored run()',
  ],
  [
    'python-fastapi',
    'uvicorn.Server(uvicorn.Config(app, port=8000)).run()',
    'import uvicorn\nfrom fastapi import FastAPI\napp = FastAPI()\n@app.get("/")\ndef page(): return "made"\n',
    'Ignored run()',
  ],
  [
    'python-fastapi',
    'asyncio.run(serve(app, None))',
    'import asyncio\nfrom hypercorn.asyncio import serve\nfrom fastapi import FastAPI\napp = FastAPI()\n@app.get("/")\ndef page(): return "made"\n',
    'Ignored run()',
  ],
  [
    'python-api',
    'serve(app, port=8080)',
    'from flask import Flask\nfrom waitress import serve\napp = Flask(__name__)\n@app.route("/")\ndef page(): return "made"\n',
    'Ignored run()',
  ],
  [
    'python-api',
    'SocketIO(app).run(app, port=5000)',
    'from flask import Flask\nfrom flask_socketio import SocketIO\napp = Flask(__name__)\n@app.route("/")\ndef page(): return "made"\n',
    'Ignored run()',
  ],
  [
    'python-shiny',
    'run_app(app, port=8000)',
    'from shiny import run_app\nfrom fastapi import FastAPI\napp = FastAPI()\n@app.get("/")\ndef page(): return "made"\n',
    'Ignored run()',
  ],
])('a module of %s that calls %s is loaded, and its log says so', async (appmode, run, text, notice) => {
  const files = { 'app.py': `${text}${run}\n`, 'requirements.txt': '', ...OWN_SERVERS };
  const content = await publish(owner, files, { metadata: { appmode, entrypoint: 'app:app' } });
  expect(content.task).toMatchObject({
    code: 0,
    output: expect.arrayContaining([expect.stringContaining(notice)]),
  });
  expect((await server.anonymous('GET', content.path)).bytes.toString()).toContain('made');
});

test('a server that a module runs in a thread beside its application is left alone', async () => {
  const text = `import threading, time, uvicorn
from fastapi import FastAPI
app = FastAPI()
beside = uvicorn.Server(uvicorn.Config(FastAPI(), port=${await freePort()}))
threading.Thread(target=beside.run, daemon=True).start()
while not beside.started: time.sleep(0.01)
@app.get("/")
def page(): return "made"
`;
  const metadata = { appmode: 'python-fastapi', entrypoint: 'app:app' };
  const content = await publish(owner, { 'app.py': text }, { metadata });
  expect(content.task).toMatchObject({ code: 0, error: '' });
  expect((await server.anonymous('GET', content.path)).body).toBe('made');
});

test('a module that never ends to load because of a server of its own fails with that reason', async () => {
  await using hasty = await startTestServer({ settings: { 'Scheduler.InitTimeout': 15 } });
  const port = await freePort();
  const text = `${WSGI}from wsgiref.simple_server import make_server
make_server("127.0.0.1", ${port}, build()).serve_forever()
`;
  const metadata = { appmode: 'python-api', entrypoint: 'app:build()' };
  const { task } = await publish(await hasty.person('publisher'), { 'app.py': text }, { metadata });
  expect(task.code).toBe(1);
  expect(task.output.join('\n')).toContain(`While it is loaded, this application listens on port ${port}.`);
  expect(diagnose(task.output)?.hint).toContain('starts a server of its own');
});

test('a WSGI application gets the address of its visitor', async () => {
  const text = `def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [environ["REMOTE_ADDR"].encode()]
`;
  const metadata = { appmode: 'python-api', entrypoint: 'app' };
  const content = await publish(owner, { 'app.py': text }, { metadata });
  expect((await server.anonymous('GET', content.path)).bytes.toString()).toBe('127.0.0.1');
});

test.each([
  [
    'python-api',
    `def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [f'{len(environ["QUERY_STRING"])} {len(environ["HTTP_X_LONG"])}'.encode()]
`,
  ],
  [
    'python-fastapi',
    `async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    sizes = f'{len(scope["query_string"])} {len(dict(scope["headers"])[b"x-long"])}'
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    await send({"type": "http.response.body", "body": sizes.encode()})
`,
  ],
])('%s gets addresses and headers as long as the server accepts them', async (appmode, text) => {
  const metadata = { appmode, entrypoint: 'app' };
  const { path } = await publish(owner, { 'app.py': text }, { metadata });
  const headers = { 'X-Long': 'h'.repeat(20_000) };
  const response = await server.anonymous('GET', `${path}?${'q'.repeat(8000)}`, { headers });
  expect(response.bytes.toString()).toBe('8000 20000');
});

test('a Dash application on FastAPI fails to deploy with the reason', async () => {
  const files = {
    'dash/__init__.py': '',
    'dash/dash.py': 'class AttributeDict(dict): pass\ndef pathname_configs(): pass\n',
    'app.py': `class FastAPI:
    async def __call__(self, scope, receive, send): pass
class app:
    server = FastAPI()
`,
  };
  const metadata = { appmode: 'python-dash', entrypoint: 'app' };
  const { task } = await publish(owner, files, { metadata });
  expect(task).toMatchObject({ code: 1, error: expect.stringContaining('Dash on FastAPI is not supported') });
});

/** In place of Gradio, which the tests do not install. */
const GRADIO = `class Blocks:
    def __init__(self, text): self.text = text
    def launch(self, **options): raise SystemExit("it serves")
def mount_gradio_app(app, blocks, path):
    app.get("/")(lambda: blocks.text)
    return app
`;

test.each([
  ['by a function that makes it', 'def make(): return Blocks("made")\n', 'app:make()'],
  ['of any name', 'ui = Blocks("made")\nui.launch(server_port=7860, share=True)\n'],
  ['below if __name__', 'ui = Blocks("made")\nif __name__ == "__main__": ui.launch()\n'],
  [
    'in a function',
    'def main():\n    ui = Blocks("made")\n    ui.launch()\nif __name__ == "__main__": main()\n',
  ],
  [
    'of a function called demo',
    'def demo(): return Blocks("made")\nif __name__ == "__main__": demo().launch()\n',
  ],
])('a Gradio application starts: %s', async (_what, text, entrypoint = 'app') => {
  const files = { 'app.py': `from gradio import Blocks\n${text}`, 'gradio.py': GRADIO };
  const metadata = { appmode: 'python-gradio', entrypoint };
  const content = await publish(owner, files, { metadata });
  expect(content.task).toMatchObject({ code: 0, error: '' });
  expect((await server.anonymous('GET', content.path)).body).toBe('made');
});

test('an ASGI application starts with a websockets package that does not fit its uvicorn', async () => {
  const text = `from fastapi import FastAPI
app = FastAPI()
@app.get("/")
def page(): return "made"
`;
  const files = { 'app.py': text, 'websockets/__init__.py': '' };
  const metadata = { appmode: 'python-fastapi', entrypoint: 'app:app' };
  const content = await publish(owner, files, { metadata });
  expect(content.task).toMatchObject({ code: 0, error: '' });
  expect((await server.anonymous('GET', content.path)).body).toBe('made');
});

test.each(['python-streamlit', 'python-marimo', 'python-bokeh'])(
  'a %s file with a syntax error fails to deploy with its line',
  async (appmode) => {
    const files = { 'app.py': 'x = 1\nprint("x"\n' };
    const { task } = await publish(owner, files, { metadata: { appmode, entrypoint: 'app.py' } });
    expect(task).toMatchObject({ code: 1, error: expect.stringContaining('(app.py, line 2)') });
  },
);

test.each(['python-api', 'python-fastapi'])(
  'the traceback of a %s application begins with its own code',
  async (appmode) => {
    const metadata = { appmode, entrypoint: 'app:app' };
    const outputOf = async (files: Files) =>
      (await publish(owner, files, { metadata })).task.output.join('\n');
    const files = { 'app.py': 'import helper\n', 'helper.py': 'app = 1 / 0\n' };
    const output = await outputOf(files);
    expect(output).toMatch(
      /Traceback \(most recent call last\):\n.*app.py", line 1, in <module>\n[^]*helper.py", line 1, in <module>\n[^]*ZeroDivisionError/,
    );
    const wrong = await outputOf({ 'app.py': 'app = (\n' });
    expect(wrong).toMatch(/app.py", line 1\n[^]*SyntaxError/);
    for (const text of [output, wrong]) expect(text).not.toMatch(/launch_python|gunicorn|importlib/);
    // Not a fault of its code: all of it is needed.
    expect(await outputOf({ 'app.py': 'application = None\n' })).toContain('launch_python');
  },
);

test('a Voila notebook in another language fails to deploy with the reason', async () => {
  const metadata = { kernelspec: { name: 'julia-1.9', language: 'julia' } };
  const notebook = JSON.stringify({ cells: [], metadata, nbformat: 4, nbformat_minor: 5 });
  const { task } = await publish(
    owner,
    { 'app.ipynb': notebook },
    { metadata: { appmode: 'jupyter-voila', entrypoint: 'app.ipynb' } },
  );
  expect(task.error).toContain('app.ipynb has a kernel for julia; only Python notebooks can be run');
});

test.each([
  ['main.py', 'body{} main'],
  ['app.py', 'app.py'],
])('Bokeh runs the directory of main.py, with what is beside it: %s', async (entrypoint, told) => {
  // In place of Bokeh, which Debian lacks.
  const read = 'open(path + "/static/x.css").read() + os.path.basename(path)';
  const main = `def main(arguments):
    path = arguments[2]
    sys.exit("Error: Bokeh got " + (${read} if os.path.isdir(path) else path))
`;
  const files = {
    'bokeh/command/bootstrap.py': `import os, sys\n${main}`,
    'bokeh/server/tornado.py': 'class BokehTornado:\n    def find_handler(self): pass\n',
    'static/x.css': 'body{} ',
    [entrypoint]: '',
  };
  const { task } = await publish(owner, files, { metadata: { appmode: 'python-bokeh', entrypoint } });
  expect(task.error).toMatch(new RegExp(`Bokeh got ${told}$`));
});

test('Streamlit is served at the address of its content, whatever its configuration says', async () => {
  // In place of Streamlit, which Debian lacks: a version without streamlit.starlette.
  const cli = `import os, sys
def main():
    sys.exit("Error: Streamlit got " + os.environ["STREAMLIT_SERVER_BASE_URL_PATH"])
`;
  const files = { 'streamlit/web/cli.py': cli, 'app.py': '' };
  const metadata = { appmode: 'python-streamlit', entrypoint: 'app.py' };
  const { task } = await publish(owner, files, { metadata });
  expect(task.error).toMatch(/Streamlit got \/$/);
});

test('Voila without an entry point runs all notebooks of the directory', async () => {
  const notebook = JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 });
  // In place of Voila, which Debian lacks.
  const files = { 'voila/app.py': 'import sys\nsys.exit("Error: Voila got " + sys.argv[-1])\n' };
  const { task } = await publish(
    owner,
    { ...files, 'a.ipynb': notebook, 'b.ipynb': notebook },
    // As rsconnect-python writes it with --multi-notebook.
    { metadata: { appmode: 'jupyter-voila', entrypoint: '' } },
  );
  expect(task.error).toMatch(/Voila got \.$/);
});

test('entrypoint.R runs the router that it returns, named as entry point or not', async () => {
  const files = {
    'entrypoint.R': 'plumber::pr_get(plumber::pr("routes.R"), "/more", function() "more")\n',
    'routes.R': '#* @get /hi\nfunction() "hi"\n',
  };
  for (const entrypoint of ['entrypoint.R', null]) {
    const content = await publish(owner, files, { metadata: { appmode: 'api', entrypoint } });
    expect(content.task).toMatchObject({ code: 0 });
    for (const path of ['hi', 'more'])
      expect((await server.anonymous('GET', `${content.path}${path}`)).body).toEqual([path]);
  }
});

test('a plumber.R that reads and runs itself is started once, and its log says so', async () => {
  const run = 'router <- plumber::plumb("plumber.R")\nrouter$run(port = 8000)\n';
  const content = await publish(
    owner,
    { 'plumber.R': `#* @get /hi\nfunction() "hi"\n\n${run}` },
    { metadata: { appmode: 'api', entrypoint: 'plumber.R' } },
  );
  expect(content.task.output.join('\n')).toContain('Ignored that the API reads itself');
  expect((await server.anonymous('GET', `${content.path}hi`)).body).toEqual(['hi']);
});

test('an API without endpoints gets a warning in its log', async () => {
  const content = await publish(
    owner,
    { 'plumber.R': 'plumber::pr_get(plumber::pr(), "/hi", function() "hi")\n' },
    { metadata: { appmode: 'api', entrypoint: 'plumber.R' } },
  );
  expect(content.task.output.join('\n')).toContain('This API has no endpoints');
});
