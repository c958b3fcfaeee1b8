// Covers events that the bot does not know.
import { expect, test } from 'vitest';
import { readEvents } from './read-events.ts';

test.each(['constructor', 'toString', '__proto__', 'of a later server'])('skips an event %s', (type) => {
  const content = { guid: 'g', name: 'n' };
  const event = { id: 'e', type, time: '2026-01-01T00:00:00Z', bundle_id: '1', content };
  expect(readEvents(JSON.stringify({ events: [event] }))).toEqual([]);
});
