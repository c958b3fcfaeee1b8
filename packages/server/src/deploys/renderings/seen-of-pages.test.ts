import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { describeShrink } from './hold-rendering.ts';
import { seenOf } from './seen-of-pages.ts';

test('counts text, images and tables, and ignores scripts, styles, the head and comments', async () => {
  const page = `<!doctype html><html><head><title>no</title><style>b {}</style></head><body>
    <h1>One two</h1><script>"not <b>this</b>"</script><!-- nor <p> this --><IMG src="data:x"><svg><path/></svg>
    <table><tr><td>3</td></tr></table></body></html>`;
  expect(await seenOf(page)).toEqual({ letters: 'Onetwo3'.length, pictures: 3 });
});

test('letters that lengthen in lower case do not shift what follows', async () => {
  const page = `<title>x</title>${'İ'.repeat(20)}<SCRIPT>not this</Script><img><b>one</b>`;
  expect(await seenOf(page)).toEqual({ letters: 'x'.length + 20 + 'one'.length, pictures: 1 });
});

test.each(['<script>never closed', '<!-- never closed', 'text <p', '<', '</', '<script'.repeat(50_000)])(
  'reads broken HTML once to its end: %.20s',
  async (html) => {
    expect((await seenOf(html)).letters).toBeLessThan(10);
  },
);

test('describeShrink describes a loss beyond the limit in words, with a code for other languages', () => {
  const before = { letters: 1000, pictures: 6 };
  expect(describeShrink(before, { letters: 500, pictures: 6 }, 50)).toBeNull();
  expect(describeShrink(before, { letters: 480, pictures: 6 }, 50)).toEqual({
    code: 'less_text',
    text: 'it has 52 % less text than what is live',
    detail: '52 %',
  });
  expect(describeShrink(before, { letters: 2000, pictures: 1 }, 50)).toEqual({
    code: 'fewer_pictures',
    text: 'it has 1 of 6 pictures and tables',
    detail: '1/6',
  });
  expect(describeShrink({ letters: 0, pictures: 0 }, { letters: 0, pictures: 0 }, 1)).toBeNull();
});

test.each(['word ', '<b>x</b>', '<img src="a">'])(
  'reading a page full of %j does not block the event loop',
  async (text) => {
    const html = text.repeat(Math.floor(2 ** 22 / text.length));
    let turns = 0;
    let isOver = false;
    const others = (async () => {
      for (; !isOver; turns += 1) await setImmediate();
    })();
    await seenOf(html);
    isOver = true;
    await others;
    expect(turns).toBeGreaterThan(3);
  },
);
