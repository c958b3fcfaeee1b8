// Covers Python frameworks from PyPI in a real browser; `npm run soak` also covers the others.
import { join } from 'node:path';
import { finishedTask } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pypiProblem } from '../../clients/clients.ts';
import { startFrameworks, type UsingFrameworks } from '../../soak/frameworks/use-frameworks.ts';

/** Builds URLs for its pages when it is loaded, as most applications do, and starts a server without a guard. */
const DASH_PAGES = `import dash
from dash import Dash, dcc, html

app = Dash(__name__, use_pages=True, pages_folder="", url_base_pathname="/mine/")
dash.register_page("home", path="/", layout=html.H1("Home page"))
dash.register_page("more", path="/more", layout=html.H1("More of it"), redirect_from=["/old"])
app.layout = html.Div([
    html.Img(src=app.get_asset_url("pic.svg")),
    html.Div([dcc.Link(page["name"], href=page["relative_path"]) for page in dash.page_registry.values()]),
    html.A("plain", href=dash.get_relative_path("/more")),
    dash.page_container,
])
server = app.server
app.run(debug=True)
`;
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>';
const REQUIREMENTS = join(import.meta.dirname, '../../soak/frameworks/requirements.txt');
const problem = await pypiProblem();

describe.skipIf(problem !== null)(
  problem === null ? 'frameworks' : `frameworks (skipped: ${problem})`,
  () => {
    let frameworks: UsingFrameworks;
    beforeAll(async () => {
      frameworks = await startFrameworks(REQUIREMENTS);
    });
    afterAll(() => frameworks[Symbol.asyncDispose]());

    test.each(['python-streamlit', 'python-shiny', 'python-dash', 'python-bokeh'] as const)(
      '%s: its type is detected, an input works over its connection, page loads count as visits',
      async (framework) => {
        const { appMode, visits } = await frameworks.use(framework);
        expect(appMode).toBe(framework);
        // Two pages, one of them reloaded.
        await expect.poll(visits).toBe(3);
      },
      600_000,
    );

    test('Dash: addresses created at load time lead to the content, at its vanity path too', async () => {
      const files = { 'app.py': DASH_PAGES, 'assets/pic.svg': PICTURE };
      const { url, guid } = await frameworks.publish('python-dash', files);
      // Addresses are those of each process: the test above has several.
      const one = { min_processes: 0, max_processes: 1 };
      const limited = await frameworks.publisher.call('PATCH', `/v1/content/${guid}`, { body: one });
      expect(limited.status).toBe(200);
      const look = async (address: string) => {
        const page = await frameworks.browser.newPage();
        await page.goto(address);
        await page.getByText('Home page').waitFor();
        const at = page.url();
        await expect.poll(() => page.evaluate('document.images[0].naturalWidth')).toBe(10);
        for (const name of ['More', 'plain']) {
          await page.getByText(name, { exact: true }).click();
          await page.getByText('More of it').waitFor();
          expect(page.url()).toBe(`${at}more`);
          await page.goto(at);
          await page.getByText('Home page').waitFor();
        }
        await page.close();
      };
      await look(url);
      const vanity = await frameworks.publisher.call('PUT', `/v1/content/${guid}/vanity`, {
        body: { path: '/sales/' },
      });
      expect(vanity.status).toBe(200);
      await look(new URL('/sales/', url).href);

      const { call } = frameworks.publisher;
      const bundles = `/v1/content/${guid}/bundles`;
      const [{ id: active }] = (await call('GET', bundles)).body;
      const { bytes: raw } = await call('GET', `${bundles}/${active}/download`);
      const { id: bundle_id } = (await call('POST', bundles, { raw })).body;
      const draft = { bundle_id, activate: false };
      const deployed = await call('POST', `/v1/content/${guid}/deploy`, { body: draft });
      expect(await finishedTask(frameworks.publisher, deployed.body.task_id)).toMatchObject({ code: 0 });
      for (const path of [`/content/${guid}/`, '/sales/', `/content/${guid}/_bundle${bundle_id}/`]) {
        const texts = [await call('GET', `/${path}`), await call('GET', `/${path}_dash-layout`)];
        const named = texts.flatMap(({ bytes }) => bytes.toString().match(/"\/[^"]+\/[^"]+"/g) ?? []);
        expect(named.length).toBeGreaterThan(5);
        for (const address of named) expect(address.lastIndexOf(path)).toBe(1);
        const moved = await call('GET', `/${path}old`);
        expect([moved.status, moved.headers.get('location')]).toEqual([301, `${path}more`]);
      }
    }, 600_000);
  },
);
