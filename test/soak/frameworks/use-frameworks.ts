// Python frameworks from PyPI: published from a plain directory, used in a real browser.
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createClient } from '@pressroom/api/client';
import { deploy } from '@pressroom/api/publish';
import { fetchUv, openBrowser, type Person, startTestServer } from '@pressroom/testkit';
import type { Browser, Page } from 'playwright-core';
import { APPLICATIONS, type Framework } from './applications.ts';

export interface UsingFrameworks extends AsyncDisposable {
  readonly publisher: Person;
  readonly browser: Browser;
  /** Publishes an application, by default the smallest one. @throws errors of the deploy */
  publish(
    framework: Framework,
    files?: Readonly<Record<string, string>>,
  ): Promise<{ url: string; guid: string }>;
  /** Publishes the application of a framework, and changes its number in a browser. @throws the problem */
  use(framework: Framework): Promise<{ appMode: string; visits: () => Promise<number> }>;
}

/** @param requirements all packages that will be used: one environment serves all */
export async function startFrameworks(requirements: string): Promise<UsingFrameworks> {
  await using stack = new AsyncDisposableStack();
  const uv = await fetchUv();
  const server = stack.use(
    await startTestServer({
      // Visitors start additional processes: requests of a page must reach the page's process.
      settings: {
        'Scheduler.InitTimeout': 120,
        'Scheduler.LoadFactor': 0,
        'Scheduler.IdleTimeout': 600,
        ...(uv !== null && { 'Python.Uv': uv }),
      },
    }),
  );
  const publisher = await server.person('publisher');
  const client = createClient({ url: server.url, apiKey: publisher.key });
  const browser = await openBrowser();
  stack.defer(() => browser.close());
  const home = await mkdtemp(join(tmpdir(), 'frameworks-'));
  stack.defer(() => rm(home, { recursive: true }));

  async function publish(
    framework: Framework,
    files: Readonly<Record<string, string>> = APPLICATIONS[framework],
  ): Promise<{ url: string; guid: string }> {
    const dir = await mkdtemp(join(home, `${framework}-`));
    await copyFile(requirements, join(dir, 'requirements.txt'));
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(dir, name)), { recursive: true });
      await writeFile(join(dir, name), text);
    }
    const lines: string[] = [];
    for await (const event of deploy({
      client,
      dir,
      name: `${framework}-${basename(dir)}`,
      access_type: 'all',
      record: false,
    })) {
      if (event.type === 'log') lines.push(event.line);
      if (event.type === 'failed') throw new Error([event.error, ...lines.slice(-40)].join('\n'));
      if (event.type === 'done') return { url: event.url, guid: event.content.guid };
    }
    throw new Error('the deploy did not end');
  }

  async function changeNumber(page: Page): Promise<void> {
    await page.getByText('square 9').first().waitFor();
    const input = page.locator('input').first();
    await input.fill('5');
    await input.press('Enter');
    await page.getByText('square 25').first().waitFor();
  }

  async function countVisits(guid: string): Promise<number> {
    const { body } = await publisher.call('GET', `/v1/instrumentation/content/visits?content_guid=${guid}`);
    return body.results.length;
  }

  const kept = stack.move();
  return {
    publisher,
    browser,
    publish,
    async use(framework) {
      const { url, guid } = await publish(framework);
      // The second one starts another process, so that requests could be misrouted.
      const [other, page] = [await browser.newPage(), await browser.newPage()];
      const refused: string[] = [];
      try {
        for (const visitor of [other, page]) {
          visitor.on('response', (response) => {
            if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
          });
          await visitor.goto(url);
          await changeNumber(visitor);
        }
        // Some pages notify the server when they are closed.
        await other.reload();
        await other.getByText('square 9').first().waitFor();
        if (refused.length > 0) throw new Error(`refused: ${refused.join(', ')}`);
        const { body } = await publisher.call('GET', `/v1/content/${guid}`);
        return { appMode: body.app_mode, visits: () => countVisits(guid) };
      } finally {
        await Promise.all([other.close(), page.close()]);
      }
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** All of them, one after another. */
export async function useFrameworks(): Promise<{ used: string[]; faults: string[] }> {
  await using frameworks = await startFrameworks(join(import.meta.dirname, 'requirements-all.txt'));
  const [used, faults]: [string[], string[]] = [[], []];
  for (const framework of Object.keys(APPLICATIONS) as Framework[]) {
    try {
      const { appMode } = await frameworks.use(framework);
      used.push(appMode);
    } catch (error) {
      faults.push(`${framework}: ${String(error)}`);
    }
  }
  return { used, faults };
}
