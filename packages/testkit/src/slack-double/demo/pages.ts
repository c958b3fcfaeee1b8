// Pages of the demo: a channel in a browser, to type, see blocks and press buttons.
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { SlackDouble } from '../slack-double.ts';
import type { DoubleMessage } from '../workspace.ts';

const FILES: Readonly<Record<string, [string, string]>> = {
  '/': ['page.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
};

interface Act {
  readonly user: string;
  readonly channel: string;
  readonly text?: string;
  readonly ts?: string;
  readonly action?: string;
  readonly selected?: string;
  readonly values?: Record<string, Record<string, string>>;
}

/** People and content of the suggested commands. */
export interface Example {
  readonly content: string;
  readonly person: string;
}

/** @param links shown next to the channel. */
export function demoPages(slack: SlackDouble, links: Readonly<Record<string, string>>, example: Example) {
  const { space } = slack;

  async function act(path: string, body: Act): Promise<void> {
    const user = space.users.get(body.user);
    if (!user) return;
    if (path === '/demo/command') {
      const line = (body.text ?? '').replace(/^\/pressroom\s*/, '');
      space.messages.push(typed(user.id, body.channel, `/pressroom ${line}`));
      await slack.command(user, body.channel, line);
    } else if (path === '/demo/click') {
      const message = space.messages.find(({ ts }) => ts === body.ts);
      await slack.click(user, message ?? 'home', body.action ?? '', body.selected);
    } else if (path === '/demo/submit') {
      const ack = await slack.submit(user, body.values ?? {});
      const errors = (ack.body as { errors?: Record<string, string> } | undefined)?.errors;
      const modal = space.modals.findLast((item) => item.user === user.id);
      if (errors && modal) modal.view = { ...modal.view, errors };
    } else if (path === '/demo/close') {
      const modal = space.modals.findLast((item) => item.user === user.id);
      if (modal) space.modals.splice(space.modals.indexOf(modal), 1);
    } else if (path === '/demo/home') {
      await slack.event({ type: 'app_home_opened', user: user.id, channel: `D${user.id}`, tab: 'home' });
    }
    space.changed();
  }

  /** Typed commands are seen by nobody else, as in Slack. */
  function typed(user: string, channel: string, text: string): DoubleMessage {
    return { ts: space.nextTs(), channel, user, text, blocks: [], only: user, edited: 0 };
  }

  function state(user: string) {
    return {
      team: 'Demo workspace',
      links,
      example,
      users: [...space.users.values()],
      channels: [...space.channels].map(([id, name]) => ({ id, name })),
      messages: space.messages.filter(({ only }) => only === undefined || only === user),
      modal: space.modals.findLast((item) => item.user === user)?.view ?? null,
      home: space.homes.get(user) ?? null,
    };
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const url = new URL(request.url ?? '/', 'http://demo');
    const path = url.pathname;
    const file = FILES[path];
    if (file) {
      const text = await readFile(join(import.meta.dirname, file[0]));
      response.writeHead(200, { 'content-type': file[1] }).end(text);
    } else if (path === '/demo/state') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(state(url.searchParams.get('user') ?? '')));
    } else if (path === '/demo/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.write('data: hello\n\n');
      request.on(
        'close',
        space.onChange(() => response.write('data: change\n\n')),
      );
    } else if (path.startsWith('/demo/file/')) {
      const found = space.files.get(path.slice('/demo/file/'.length));
      const type = found?.name.endsWith('.png') ? 'image/png' : 'text/plain; charset=utf-8';
      response.writeHead(found ? 200 : 404, { 'content-type': type }).end(found?.bytes);
    } else if (path.startsWith('/demo/') && request.method === 'POST') {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      await act(path, JSON.parse(Buffer.concat(chunks).toString()) as Act);
      response.writeHead(204).end();
    } else return false;
    return true;
  };
}
