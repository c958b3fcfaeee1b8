// A site on a real HTTP server, for tests.
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  createContentSite,
  type ContentSite,
  type ContentSiteOptions,
  type SiteResponse,
  type SiteRequest,
} from './content-site.ts';

export interface TestResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Result of `serve`. */
  outcome: SiteResponse;
}

export interface TestSite extends AsyncDisposable {
  site: ContentSite;
  directory: string;
  root: string;
  url: string;
  /** Changes what later requests are served from. */
  settings: Omit<SiteRequest, 'path'>;
  put(path: string, content: string | Buffer): Promise<void>;
  /** Requests a raw path, not normalised by a URL parser. */
  ask(path: string, headers?: Record<string, string>, method?: string): Promise<TestResponse>;
  /** Result of `serve` for the last request. */
  lastOutcome(): Promise<SiteResponse>;
}

export async function startTestSite(options?: ContentSiteOptions): Promise<TestSite> {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-site-'));
  const root = join(directory, 'root');
  await mkdir(root);
  const site = createContentSite(options);
  const settings: Omit<SiteRequest, 'path'> = { root, version: '7', primary: 'index.html' };
  let last: Promise<SiteResponse> = Promise.reject(new Error('nothing was asked'));
  last.catch(() => {});
  const server = createServer((incoming, response) => {
    last = site.serve(incoming, response, { ...settings, path: incoming.url ?? '' });
    last.catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  async function put(path: string, content: string | Buffer): Promise<void> {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }

  async function ask(
    path: string,
    headers: Record<string, string> = {},
    method = 'GET',
  ): Promise<TestResponse> {
    const outgoing = request({ host: '127.0.0.1', port, path, headers, method, agent: false });
    outgoing.end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    return { status: incoming.statusCode ?? 0, headers: incoming.headers, body, outcome: await last };
  }

  return {
    site,
    directory,
    root,
    url: `http://127.0.0.1:${port}`,
    settings,
    put,
    ask,
    lastOutcome: () => last,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await rm(directory, { recursive: true });
    },
  };
}
