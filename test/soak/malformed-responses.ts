// Sends visitors to an application with arbitrary answers, and checks that each visitor gets a response or an end, and
// nobody else is affected.
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { publish, startTestServer, type Published, type TestServer } from '@pressroom/testkit';
import fc from 'fast-check';
import { KNOWN_RESPONSES, malformedResponse } from './response-arbitraries.ts';

export interface MalformedReport {
  readonly seed: number;
  sent: number;
  /** Visitors who got the application's response, the server's 502, or only an end. */
  passed: number;
  refused: number;
  ended: number;
  readonly faults: string[];
}

/** Replaces the application's web server. */
const RAW = `
import base64, socket, threading, uvicorn

def serve(connection):
    try:
        data = b""
        while b"\\r\\n\\r\\n" not in data:
            more = connection.recv(65536)
            if not more:
                return
            data += more
        head, _, body = data.partition(b"\\r\\n\\r\\n")
        headers = {}
        for line in head.decode("latin-1").split("\\r\\n")[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        if "x-answer" in headers:
            connection.sendall(base64.b64decode(headers["x-answer"]))
            return
        while len(body) < int(headers.get("content-length", "0")):
            body += connection.recv(65536)
        connection.sendall(body or b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")
    except OSError:
        pass
    finally:
        connection.close()

def run(server, sockets=None):
    uds, fd = server.config.uds, server.config.fd
    listener = socket.socket(socket.AF_UNIX) if fd is None else socket.socket(fileno=fd)
    if uds is not None:
        listener.bind(uds)
    listener.listen(64)
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

uvicorn.Server.run = run
app = None
`;
const AT_ONCE = 25;
/** Maximum size of a header. */
const MAX_HEADER_BYTES = 8 * 1024;

/**
 * @param count generated answers: to requests with and without a body, and to WebSocket handshakes; known ones come
 * first
 */
export async function malformedResponses(count: number, seed: number): Promise<MalformedReport> {
  await using server = await startTestServer({
    settings: { 'Scheduler.IdleTimeout': 600, 'Scheduler.MaxConnsPerProcess': 1000 },
  });
  const owner = await server.person('publisher');
  const content = await publish(
    owner,
    { 'app.py': RAW },
    { metadata: { appmode: 'python-fastapi', entrypoint: 'app:app' } },
  );
  if (content.task.code !== 0) throw new Error(content.task.error);
  const report = { seed, sent: 0, passed: 0, refused: 0, ended: 0, faults: [] as string[] };
  const generated = fc.sample(malformedResponse, { numRuns: count, seed });
  const responses = [...KNOWN_RESPONSES.map((text) => Buffer.from(text, 'latin1')), ...generated];
  for (let at = 0; at < responses.length && report.faults.length < 5; at += AT_ONCE) {
    const some = responses.slice(at, at + AT_ONCE);
    const visits = some.map((response, index) => {
      if (index % 3 === 0 || response.length >= MAX_HEADER_BYTES)
        return visitPage(server, content, response, 'body');
      return index % 3 === 1
        ? visitSocket(server, content, response)
        : visitPage(server, content, response, 'header');
    });
    for (const [index, outcome] of (await Promise.all(visits)).entries()) {
      report.sent += 1;
      if (outcome === null) report.ended += 1;
      else if (outcome === 502) report.refused += 1;
      else if (outcome >= 101 && outcome <= 599) report.passed += 1;
      else
        report.faults.push(`${outcome} for ${JSON.stringify(some[index]!.toString('latin1').slice(0, 200))}`);
    }
    const other = await server.anonymous('GET', '//__ping__');
    if (other.status !== 200) report.faults.push(`somebody else got ${other.status}`);
  }
  const last = await server.anonymous('POST', content.path, {
    raw: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  });
  if (last.status !== 200 || last.bytes.toString() !== 'ok')
    report.faults.push(`a good response became ${last.status} ${last.bytes.toString()}`);
  return report;
}

/** The status a visitor gets; null if the connection ended without one. */
function visitPage(
  server: TestServer,
  content: Published,
  result: Buffer,
  given: 'body' | 'header',
): Promise<number | null> {
  const options =
    given === 'body' ? { method: 'POST' } : { headers: { 'x-answer': result.toString('base64') } };
  return new Promise((resolve) => {
    const asked = request(server.url + content.path.slice(1), { ...options, agent: false }, (response) => {
      response.resume().once('close', () => resolve(response.statusCode ?? 0));
    });
    asked.once('error', () => resolve(null));
    asked.end(given === 'header' ? null : result.length === 0 ? Buffer.from('\r') : result);
  });
}

async function visitSocket(server: TestServer, content: Published, response: Buffer): Promise<number | null> {
  const { port } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  socket.write(
    `GET ${content.path.slice(1)} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nX-Answer: ${response.toString('base64')}\r\n\r\n`,
  );
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  const said = Buffer.concat(chunks).toString('latin1');
  if (said === '') return null;
  return Number(/^HTTP\/1\.1 (\d{3}) [ -~]*\r\n/.exec(said)?.[1] ?? -1);
}
