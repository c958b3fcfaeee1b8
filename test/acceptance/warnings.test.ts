// Covers warnings in the log of a deploy, about documents that are deployed all the same.
import {
  makeQuickRenderer,
  publish,
  QUICK_DOCUMENT,
  quickDocument,
  startTestServer,
  type Files,
  type Person,
} from '@pressroom/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

const stack = new AsyncDisposableStack();
let person: Person;
beforeAll(async () => {
  const { settings } = stack.use(await makeQuickRenderer());
  person = await stack.use(await startTestServer({ settings })).person('publisher');
});
afterAll(() => stack.disposeAsync());

const LATIN1 = Buffer.from('<p>Grüße</p>', 'latin1');
async function warnings(files: Files, metadata: Record<string, unknown>): Promise<string[]> {
  const { task } = await publish(person, files, { metadata });
  expect(task).toMatchObject({ code: 0 });
  return task.output.filter((line) => line.startsWith('Warning: '));
}
const notUtf8 = (name: string) =>
  `Warning: "${name}" is not UTF-8: letters such as ä and é are shown wrong. Save it as UTF-8.`;

test('names static pages that are not UTF-8, and serves their bytes as they are', async () => {
  const files = { 'index.html': LATIN1, 'notes.txt': 'Grüße', 'data.csv': LATIN1 };
  const { task, path } = await publish(person, files);
  expect(task).toMatchObject({ code: 0 });
  expect(task.output).toEqual(expect.arrayContaining([notUtf8('index.html')]));
  expect(task.output.join()).not.toMatch(/notes|data/);
  expect((await person.call('GET', path)).bytes).toEqual(LATIN1);
});

test('names documents that are not UTF-8, and what the page links to but is not rendered', async () => {
  const files = { ...quickDocument('pass'), 'other.Rmd': LATIN1, 'data.txt': LATIN1 };
  expect(await warnings(files, QUICK_DOCUMENT)).toEqual([notUtf8('other.Rmd')]);
  const links = '<a href="other.html">Other</a> <a href="none.html">None</a>';
  const linking = quickDocument(`write("index.html", '${links}')`);
  expect(await warnings({ ...linking, 'other.Rmd': 'Other' }, QUICK_DOCUMENT)).toEqual([
    'Warning: the page links to "other.html", but "other.Rmd" is not rendered: only sites have several documents (in R, _site.yml and deploySite; or _quarto.yml)',
  ]);
});
