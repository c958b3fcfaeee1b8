// Covers comments on merge requests of servers that are no GitLab, or an unusual one.
import { createServer, type RequestListener } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { listen } from '../../../api/src/client/testing/fake-server.ts';
import { openNotes } from './gitlab-notes.ts';

const ends: (() => unknown)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

async function notesOf(listener: RequestListener) {
  const server = createServer(listener);
  const port = await listen(server);
  ends.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const place = { api: `http://127.0.0.1:${port}`, project: 'a/b', request: '1', token: 't0k3n' };
  return openNotes(place, AbortSignal.timeout(3000));
}

test('ends with a server that always names a next page', async () => {
  const pages: string[] = [];
  const notes = await notesOf(({ url = '' }, response) => {
    if (url === '/user') return response.end('{"id":1}');
    pages.push(url);
    response.setHeader('x-next-page', '2');
    return response.end('[]');
  });
  expect(await notes.own(() => true)).toBeNull();
  expect(pages).toHaveLength(2);
});

test.each([
  ['a page', '<html>Sign in</html>'],
  ['something else', '{"message":"401"}'],
  ['nothing', ''],
])('a response that is %s is an error without the token', async (_what, text) => {
  const notes = await notesOf(({ url }, response) => response.end(url === '/user' ? '{"id":1}' : text));
  const failure = await notes.own(() => true).catch((error: unknown) => error);
  expect(failure).toMatchObject({ message: 'GitLab did not respond as GitLab does.' });
});

test('notes of accounts that are gone are not its own', async () => {
  const list = [
    { id: 7, body: 'mine', author: null },
    { id: 8, body: null, author: { id: 1 } },
  ];
  const notes = await notesOf(({ url }, response) =>
    response.end(url === '/user' ? '{"id":1}' : JSON.stringify(list)),
  );
  expect(await notes.own((body) => body.includes('mine'))).toBeNull();
});
