// `npm run pictures`: the pictures of the README, taken from the running product.
import { join, resolve } from 'node:path';
import { createClient, deploy } from '@pressroom/api';
import { openBrowser, startTestServer } from '@pressroom/testkit';

const ROOT = resolve(import.meta.dirname, '../..');
const PICTURES = join(ROOT, 'docs/images');
const EXAMPLES = [
  'fastapi-api',
  'jupyter-notebook',
  'plumber-api',
  'r-markdown-report',
  'shiny-app',
  'static-page',
];
const TITLES: Readonly<Record<string, string>> = {
  'fastapi-api': 'Sales API (Python)',
  'jupyter-notebook': 'Which café grows?',
  'plumber-api': 'Sales API (R)',
  'r-markdown-report': 'Café sales 2024',
  'shiny-app': 'Café sales, explored',
  'static-page': 'Three cafés, two years',
};

await using server = await startTestServer({ engine: 'sqlite', settings: { 'Scheduler.IdleTimeout': 600 } });
const { key, username } = await server.administrator();
const client = createClient({ url: server.url, apiKey: key });
const addresses = new Map<string, string>();
for (const name of EXAMPLES) {
  const dir = join(ROOT, 'examples', name);
  const title = TITLES[name]!;
  for await (const event of deploy({ client, dir, name, title, access_type: 'all', record: false })) {
    if (event.type === 'done') addresses.set(name, event.url);
  }
}

await using browser = await openBrowser();
const page = await (await browser.newContext({ viewport: { width: 1180, height: 620 } })).newPage();
const take = (name: string) => page.screenshot({ path: join(PICTURES, `${name}.png`) });

await page.goto(addresses.get('shiny-app')!);
await page.locator('#months img').waitFor();
await take('shiny-app');

await page.goto(`${server.url}/__dashboard__/`);
await page.getByLabel('Username').fill(username);
await page.getByLabel('Password').fill('correct horse');
await page.getByRole('button', { name: 'Sign in' }).click();
await page.getByRole('heading', { level: 1, name: 'Content' }).waitFor();
await take('dashboard');
