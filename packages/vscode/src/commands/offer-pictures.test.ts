// Covers pictures of two bundles: offered if the server can make them, opened as images, with refusals as one sentence.
import { RefusedError } from '@pressroom/api/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Uri as EditorUri } from 'vscode';
import type { History } from '../store/history.ts';
import { commands, recorded, window } from '../testing/fake-vscode.ts';
import { createBundlePictures } from '../views/bundle-pictures.ts';
import { offerPictures } from './offer-pictures.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const PAGES = {
  before: { bundle_id: '3', image: base64('old') },
  after: { bundle_id: '4', image: base64('new') },
  difference: base64('red'),
  changed: 0.1,
  width: 2,
  height: 1,
};
const CONTENT = { server: 'https://example.com', guid: 'g' };
const OFFER = 'See what readers see of bundle 4 and of the active bundle?';

beforeEach(() => recorded.reset());
afterEach(() => vi.restoreAllMocks());

/** Accepts what is offered. @returns the addresses that were opened */
async function offered(pages: History['pages'], compares = true) {
  vi.spyOn(window, 'showInformationMessage').mockImplementation(((message: string, button?: string) => {
    recorded.messages.push(message);
    return Promise.resolve(button);
  }) as never);
  const run = vi.spyOn(commands, 'executeCommand');
  const pictures = createBundlePictures();
  await offerPictures({ comparesPages: () => compares, pages }, pictures, CONTENT, '4');
  const opened = (run.mock.calls as unknown as [string, EditorUri][]).map(([, uri]) => uri);
  return { pictures, opened };
}

test('opens three images named after their bundles, the difference last', async () => {
  const { pictures, opened } = await offered(async () => PAGES);
  expect(opened.map(({ path }) => path)).toEqual([
    '/1/before (bundle 3).png',
    '/1/after (bundle 4).png',
    '/1/what differs.png',
  ]);
  expect(opened.map((uri) => String(pictures.readFile(uri)))).toEqual(['old', 'new', 'red']);
  expect(pictures.stat(opened[0]!)).toMatchObject({ type: 1, size: 3 });
});

test('keeps only the last comparisons', () => {
  const pictures = createBundlePictures();
  const [first] = pictures.keep(PAGES);
  for (let more = 0; more < 5; more += 1) pictures.keep(PAGES);
  expect(() => pictures.readFile(first!)).toThrow(expect.objectContaining({ code: 'FileNotFound' }));
});

test('shows the server’s reason when there are no pictures', async () => {
  const { opened } = await offered(() =>
    Promise.reject(
      new RefusedError({
        operation: 'compareBundlePages',
        server: CONTENT.server,
        status: 400,
        code: 39,
        payload: null,
        message: 'only pages and documents\nare compared',
      }),
    ),
  );
  expect(opened).toEqual([]);
  expect(recorded.messages).toEqual([OFFER, 'only pages and documents are compared.']);
});

test('offers nothing for a server without the operation', async () => {
  const pages = vi.fn<History['pages']>();
  await offered(pages, false);
  expect(pages).not.toHaveBeenCalled();
  expect(recorded.messages).toEqual([]);
});

test('cancelling ends the request without another message', async () => {
  const { opened } = await offered((_content, _id, signal) => {
    recorded.cancel();
    return Promise.reject(signal.aborted ? new Error('aborted') : new Error('still under way'));
  });
  expect(opened).toEqual([]);
  expect(recorded.messages).toEqual([OFFER]);
});
