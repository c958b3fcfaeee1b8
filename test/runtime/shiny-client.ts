// A visitor of a Shiny application without a browser: loads the page, opens the socket, sends a page's messages.
import { once } from 'node:events';
import { WebSocket } from 'ws';

export interface ShinyVisitor {
  readonly status: number;
  readonly page: string;
  /** Messages of the application so far, parsed. */
  readonly messages: Record<string, unknown>[];
  /** Id that the server gave the session. */
  readonly id: string;
  readonly socket: WebSocket;
  /** Sets inputs of the application. */
  set(inputs: Record<string, unknown>): void;
  /** The first message, past or future, with matching values. */
  until(matches: (values: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
  /** Disconnects, and resumes. */
  comeBack(): Promise<void>;
}

/** Only the page, if it is refused. */
export async function visit(
  url: string,
  headers: Record<string, string> = {},
): Promise<ShinyVisitor | { readonly status: number; readonly page: string; readonly socket: null }> {
  const response = await fetch(url, { headers: { accept: 'text/html', ...headers }, redirect: 'manual' });
  const page = await response.text();
  const { status } = response;
  if (status !== 200) return { status, page, socket: null };
  const address = `${url.replace('http', 'ws')}websocket/`;
  const messages: Record<string, unknown>[] = [];
  let received = 0;
  let changed = () => {};
  let id = '';
  const open = async (query: string) => {
    const socket = new WebSocket(`${address}?${query}`, { headers });
    const ready = new Promise<void>((resolve, reject) => {
      socket.on('close', (code) => reject(new Error(`The server closed the session with ${code}`)));
      socket.on('message', (data) => {
        const [letter, rest] = [String(data)[0], String(data).slice(1)];
        if (letter === 'o') id = rest.split(',')[0]!;
        if (letter === 'o' || letter === 'r') resolve();
        if (letter !== 'm') return;
        received += 1;
        messages.push(JSON.parse(rest) as Record<string, unknown>);
        changed();
      });
    });
    await Promise.all([once(socket, 'open'), ready]);
    return socket;
  };
  let socket = await open('pressroom-session=new');
  const send = (message: object) => socket.send(`m${JSON.stringify(message)}`);
  // Shiny computes an output only after it knows the sizes of plots, and what is hidden.
  const client = {
    '.clientdata_pixelratio': 1,
    '.clientdata_url_pathname': '/',
    '.clientdata_url_search': '',
  };
  const shown = { '.clientdata_output_out_hidden': false };
  send({ method: 'init', data: { ...client, ...shown } });
  return {
    status,
    page,
    messages,
    get id() {
      return id;
    },
    get socket() {
      return socket;
    },
    set: (data) => send({ method: 'update', data }),
    async until(matches) {
      for (let seen = 0; ;) {
        while (seen < messages.length) {
          const values = (messages[seen++]?.values ?? {}) as Record<string, unknown>;
          if (matches(values)) return values;
        }
        await new Promise<void>((resolve) => (changed = resolve));
      }
    },
    async comeBack() {
      socket.terminate();
      socket = await open(`pressroom-session=${id}&received=${received}`);
    },
  };
}
