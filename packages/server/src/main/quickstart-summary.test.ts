import { expect, test } from 'vitest';
import { summary } from './quickstart-summary.ts';

test('the command line and the Slack demo are told of this server, whatever its address and data directory', () => {
  const text = summary({
    url: 'http://127.0.0.1:8080',
    administrator: 'admin',
    dataDir: '/data',
    published: [],
    link: null,
  });
  const variables = 'CONNECT_SERVER=http://127.0.0.1:8080 CONNECT_API_KEY=$(cat /data/admin-key)';
  expect(text).toContain(`${variables} npx pressroom deploy DIR\n`);
  expect(text).toContain(`${variables} npm run slack:demo\n`);
});
