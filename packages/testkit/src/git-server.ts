// A local Git server: git's own http-backend behind HTTP, optionally with a password.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface GitServer extends AsyncDisposable {
  readonly url: string;
  /** Requested paths with their Authorization. */
  readonly requests: { path: string; authorization: string | undefined }[];
  /** Called before git answers; true if it was answered. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>) | null;
  /** Required credentials: `user:password`; null for none. */
  credentials: string | null;
  /** Git LFS files by SHA-256. */
  readonly large: Map<string, Buffer>;
  /** Stores a file; returns its pointer for a commit. */
  keepLarge(content: Buffer): string;
  /** Overrides the batch API's response for a file; null for the correct one. */
  largeAction: ((oid: string) => object | null) | null;
  /** Commits these files and pushes; returns the SHA. Null removes a file, `{ link }` creates a symbolic link. */
  push(files: Record<string, string | null | { link: string }>, options?: PushOptions): Promise<string>;
  /** Runs git in the working copy of `push`. */
  git(...args: string[]): Promise<string>;
}

export interface PushOptions {
  readonly branch?: string;
  readonly message?: string;
}

// One process for several steps: starting one costs a worker of tests more than the step does.
const PUSH = `set -e
git add -A -f
git commit -q --allow-empty -m "$0"
git push -q -f ../reports.git "HEAD:refs/heads/$1"
git rev-parse HEAD`;

export async function startGitServer(): Promise<GitServer> {
  const root = mkdtempSync(join(tmpdir(), 'git-server-'));
  const work = join(root, 'work');
  const env = {
    PATH: process.env['PATH'],
    HOME: root,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ada Lovelace',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_COMMITTER_NAME: 'Ada Lovelace',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
  };
  const git = async (...args: string[]) =>
    (await run('git', ['-C', work, ...args], { env, maxBuffer: 2 ** 26 })).stdout.trim();
  initialise(join(root, 'reports.git'), true);
  initialise(join(work, '.git'), false);
  const large = new Map<string, Buffer>();
  const made: Pick<GitServer, 'requests' | 'intercept' | 'credentials' | 'large' | 'largeAction'> = {
    requests: [],
    intercept: null,
    credentials: null,
    large,
    largeAction: null,
  };

  /** Git LFS: its batch API, and the files. */
  async function answerLarge(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '', headers } = request;
    const content = large.get(url.split('/').at(-1) ?? '');
    if (method === 'GET') return void (content ? response : response.writeHead(404)).end(content);
    const { objects } = (await json(request)) as { objects: { oid: string; size: number }[] };
    const responses = objects.map(({ oid, size }) => {
      const href = `http://${headers.host}/reports.git/info/lfs/objects/${oid}`;
      const known = large.has(oid) ? { actions: { download: { href } } } : { error: { code: 404 } };
      return { oid, size, ...(made.largeAction?.(oid) ?? known) };
    });
    response.setHeader('Content-Type', 'application/vnd.git-lfs+json');
    response.end(JSON.stringify({ transfer: 'basic', objects: responses }));
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authorization } = request.headers;
    made.requests.push({ path: request.url ?? '', authorization });
    if (made.intercept && (await made.intercept(request, response))) return;
    const expected =
      made.credentials === null ? null : `Basic ${Buffer.from(made.credentials).toString('base64')}`;
    if (expected !== null && authorization !== expected) {
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end();
      return;
    }
    const [path = '', query = ''] = (request.url ?? '').split('?');
    if (path.startsWith('/reports.git/info/lfs/')) return answerLarge(request, response);
    const backend = spawn('git', ['http-backend'], {
      env: {
        ...env,
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: path,
        QUERY_STRING: query,
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: (request.headers['git-protocol'] as string | undefined) ?? '',
      },
    });
    request.pipe(backend.stdin);
    backend.stdin.on('error', () => undefined);
    let head = Buffer.alloc(0);
    let isBody = false;
    backend.stdout.on('data', (chunk: Buffer) => {
      if (isBody) return void response.write(chunk);
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      isBody = true;
      const lines = head.subarray(0, end).toString().split('\r\n');
      const headers = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const),
      );
      const { Status: status = '200', ...rest } = headers;
      response.writeHead(Number.parseInt(status, 10), rest).write(head.subarray(end + 4));
    });
    backend.on('close', () => response.end());
  }
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(made, {
    url: `http://127.0.0.1:${port}/reports.git`,
    git,
    keepLarge(content: Buffer) {
      const oid = createHash('sha256').update(content).digest('hex');
      large.set(oid, content);
      return `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`;
    },
    async push(
      files: Record<string, string | null | { link: string }>,
      { branch = 'main', message = 'Change the report' }: PushOptions = {},
    ) {
      for (const [name, content] of Object.entries(files)) {
        const file = join(work, name);
        rmSync(file, { force: true });
        if (content === null) continue;
        mkdirSync(dirname(file), { recursive: true });
        if (typeof content === 'string') writeFileSync(file, content);
        else symlinkSync(content.link, file);
      }
      const { stdout } = await run('sh', ['-c', PUSH, message, branch], { env, cwd: work });
      return stdout.trim();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
      rmSync(root, { recursive: true, force: true });
    },
  });
}

/** As `git init` without templates, whose hooks nobody needs: without a process. */
function initialise(directory: string, isBare: boolean): void {
  for (const name of ['objects', 'refs']) mkdirSync(join(directory, name), { recursive: true });
  writeFileSync(join(directory, 'HEAD'), 'ref: refs/heads/main\n');
  // As hosts do, it can leave out files.
  const config = `[core]\nrepositoryformatversion = 0\nbare = ${isBare}\n[uploadpack]\nallowFilter = true\n`;
  writeFileSync(join(directory, 'config'), config);
}
