// Covers a hostile publisher: the server never runs what an upload contains, nor follows it elsewhere (issue 13).
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publish, startTestServer, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ASGI, asgi } from './python-content.ts';

let server: TestServer;
let owner: Person;
let outside: string;

beforeAll(async () => {
  outside = mkdtempSync(join(tmpdir(), 'pressroom-outside-'));
  execFileSync('chmod', ['777', outside]);
  server = await startTestServer({ settings: { 'Scheduler.InitTimeout': 10, 'Scheduler.IdleTimeout': 600 } });
  owner = await server.person('publisher');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(outside, { recursive: true, force: true });
});

const SCRIPTS = ['bwrap', 'setpriv', 'prlimit', 'env', 'sh', 'R', 'Rscript', 'python3'];

/** A wheel with scripts named like the tools that isolate content. Each creates a file outside, then executes the real tool. */
function evilWheel(mark: string): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'pressroom-wheel-'));
  const build = `
import sys, zipfile, hashlib, base64
mark, target, names = sys.argv[1], sys.argv[2], sys.argv[3:]
files = {"evil.py": "", "evil-1.0.dist-info/METADATA": "Metadata-Version: 2.1\\nName: evil\\nVersion: 1.0\\n",
  "evil-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"}
for name in names:
    files["evil-1.0.data/scripts/" + name] = "#!/bin/sh\\nid > " + mark + "/" + name + "\\nPATH=/usr/bin:/bin exec " + name + ' "$@"\\n'
record = "".join(name + ",,\\n" for name in files) + "evil-1.0.dist-info/RECORD,,\\n"
with zipfile.ZipFile(target, "w") as wheel:
    for name, text in files.items():
        entry = zipfile.ZipInfo(name)
        entry.external_attr = 0o100755 << 16
        wheel.writestr(entry, text)
    wheel.writestr("evil-1.0.dist-info/RECORD", record)
`;
  try {
    const file = join(directory, 'evil-1.0-py3-none-any.whl');
    execFileSync('/usr/bin/python3', ['-c', build, mark, file, ...SCRIPTS]);
    return readFileSync(file);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test('C1: the server never runs scripts of a package named like its tools', async () => {
  const files = {
    ...asgi({ '/': 'answer = sys.prefix' }),
    'evil-1.0-py3-none-any.whl': evilWheel(outside),
    'requirements.txt': './evil-1.0-py3-none-any.whl\n',
  };
  const metadata = { ...ASGI };
  const { task, path } = await publish(owner, files, { metadata });
  expect(task).toMatchObject({ code: 0 });
  // The content runs with the restored environment, including its scripts.
  expect(String((await server.anonymous('GET', path)).body)).toContain('environments');
  for (const name of SCRIPTS) expect(existsSync(join(outside, name)), name).toBe(false);
});

describe('C2: Socket of content', () => {
  let other: Server;
  let asked = 0;
  const otherPath = () => join(outside, 'engine.sock');

  beforeAll(async () => {
    other = createServer((_request, response) => {
      asked += 1;
      response.end('"the engine answers"');
    });
    await once(other.listen(otherPath()), 'listening');
    execFileSync('chmod', ['777', otherPath()]);
  });
  afterAll(() => void other.close());

  test('is not followed when it starts as a link: the deploy fails with the reason', async () => {
    const before = `
os.symlink(${JSON.stringify(otherPath())}, os.path.join(os.environ["TMPDIR"], "s"))
time.sleep(3600)
`;
    const { task, path } = await publish(owner, asgi({ '/': 'answer = 1' }, before), { metadata: ASGI });
    expect(task.code).not.toBe(0);
    expect(task.error).toContain('replaced its socket with another file');
    expect((await server.anonymous('GET', path)).status).toBe(404);
    expect(asked).toBe(0);
  });

  test('stays the opened socket when content replaces the file', async () => {
    const swap = `
path = os.path.join(os.environ["TMPDIR"], "s")
os.unlink(path)
os.symlink(${JSON.stringify(otherPath())}, path)
answer = "swapped"`;
    const { path, task } = await publish(owner, asgi({ '/': 'answer = STARTED', '/swap': swap }), {
      metadata: ASGI,
    });
    expect(task).toMatchObject({ code: 0 });
    const first = (await server.anonymous('GET', path)).body;
    expect((await server.anonymous('GET', `${path}swap`)).body).toBe('swapped');
    // Simultaneous requests open new connections.
    const responses = await Promise.all(Array.from({ length: 8 }, () => server.anonymous('GET', path)));
    for (const result of responses) expect(result).toMatchObject({ status: 200, body: first });
    expect(asked).toBe(0);
  });
});

test('M11: content that fills the disk is ended, and its log names the limit', async () => {
  await using small = await startTestServer({
    settings: { 'Applications.DiskLimit': 64 * 2 ** 20, 'Scheduler.IdleTimeout': 600 },
  });
  const publisher = await small.person('publisher');
  // Until it is ended: a busy machine counts late, and what is there at the first count is allowed.
  const fill = `
made = 0
while True:
    with open("fill-%d" % made, "wb") as file: file.write(bytes(2 ** 20))
    made += 1
    await asyncio.sleep(0.03 if made < 300 else 1)`;
  const content = await publish(publisher, asgi({ '/': 'answer = 1', '/fill': fill }), { metadata: ASGI });
  expect(content.task).toMatchObject({ code: 0 });
  expect((await small.anonymous('GET', `${content.path}fill`)).status).toBe(502);
  const outcomes = async () => {
    const { body } = await publisher.call('GET', `/v1/content/${content.guid}/jobs`);
    return (body as { outcome: string }[]).map((job) => job.outcome).join();
  };
  await expect.poll(outcomes).toContain('wrote more than it may (limit 64 MiB)');
});

test('a document whose code ends R, or removes its page, fails, and the live page stays', async () => {
  const metadata = { appmode: 'rmd-static', primary_rmd: 'report.Rmd' };
  const document = (code: string) => ({
    'report.Rmd': `---\ntitle: Live\n---\n\n\`\`\`{r}\n${code}\n\`\`\`\n`,
  });
  const { guid, path } = await publish(owner, document('1'), { metadata });
  const onExit = 'reg.finalizer(globalenv(), function(e) unlink(Sys.glob("../output/*")), onexit = TRUE)';
  for (const code of ['quit("no")', onExit]) {
    const { task } = await publish(owner, document(code), { metadata, guid });
    expect(task).toMatchObject({ code: 1, error: expect.stringContaining('ended without a page') });
    expect((await server.anonymous('GET', path)).bytes.toString()).toContain('<title>Live</title>');
  }
});

test('content cannot create user namespaces, mount or trace', async () => {
  const paths = {
    '/': 'answer = 1',
    '/unshare':
      'import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nanswer = [libc.unshare(0x10000000), libc.mount(b"none", b"/tmp", b"tmpfs", 0, None), libc.ptrace(0, 0, 0, 0)]',
    '/status': 'answer = open("/proc/self/status").read()',
  };
  const { path, task } = await publish(owner, asgi(paths), { metadata: ASGI });
  expect(task).toMatchObject({ code: 0 });
  expect((await server.anonymous('GET', `${path}unshare`)).body).toEqual([-1, -1, -1]);
  const status = String((await server.anonymous('GET', `${path}status`)).body);
  expect(status).toMatch(/^CapEff:\s+0+$/m);
  expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
  expect(status).toMatch(/^Seccomp:\s+2$/m);
});
