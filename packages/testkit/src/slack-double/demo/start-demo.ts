// The demo: a content server with content, the bot, and a channel in a browser, on this machine only.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBot, type RunningBot } from '@pressroom/slack';
import { makeArchive } from '../../archives.ts';
import { freePort } from '../../free-port.ts';
import { testLog } from '../../test-log.ts';
import { startTestServer, type Person, type TestServer } from '../../test-server.ts';
import { startSlackDouble, type SlackDouble } from '../slack-double.ts';
import type { DoubleUser } from '../workspace.ts';
import { demoPages, type Example } from './pages.ts';

export interface RunningDemo extends AsyncDisposable {
  /** Address of the page. */
  readonly url: string;
  readonly slack: SlackDouble;
  readonly server: TestServer;
  readonly bot: RunningBot;
  readonly channel: string;
  readonly users: Readonly<Record<'ada' | 'pia' | 'vic' | 'new', DoubleUser>>;
}

export interface DemoOptions {
  /** Port of the page; 0 for any. */
  readonly port: number;
  /** A running server, and its administrator's key; by default a new server. */
  readonly existing?: { readonly url: string; readonly apiKey: string } | undefined;
  /** Language of people and channels. */
  readonly language?: 'en' | 'de' | undefined;
  /** Settings of the content server. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
}

const HOUR = 3_600_000;
const EVENTS_SECRET = 'demo';
const OWN_EXAMPLE: Example = { content: 'sales-report', person: 'pia' };

export async function startDemo({
  port,
  existing,
  language = 'en',
  settings: more = {},
}: DemoOptions): Promise<RunningDemo> {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-slack-demo-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const listen = { host: '127.0.0.1', port: await freePort() };
  const settings = {
    ...more,
    'Events.Webhooks': `http://127.0.0.1:${listen.port}/hooks/events`,
    'Events.WebhookSecret': EVENTS_SECRET,
  };
  const server = stack.use(await startTestServer({ engine: 'sqlite', settings }));
  const slack = stack.use(await startSlackDouble({ port, rates: false }));
  const admin = await server.administrator();
  const pia = await server.person('publisher', { username: 'pia', first_name: 'Pia', last_name: 'Moreau' });
  const vic = await server.person('viewer', { username: 'vic', first_name: 'Vic', last_name: 'Tanaka' });
  const address = existing?.url ?? server.url;
  const bot = stack.use(
    await startBot({
      log: testLog(),
      config: {
        server: address,
        serviceKey: existing?.apiKey ?? admin.key,
        guestKey: null,
        unlinked: [],
        slack: { kind: 'token', token: slack.botToken },
        teams: [],
        receive: { kind: 'http', signingSecrets: [slack.signingSecret] },
        slackApiUrl: slack.apiUrl,
        command: '/pressroom',
        language,
        store: join(directory, 'slack.sqlite'),
        keys: `demo:${randomBytes(32).toString('base64')}`,
        // A running server sends its events elsewhere: then the audit log is read.
        eventsSecrets: existing ? [] : [EVENTS_SECRET],
        auditUrl: `${address}/__dashboard__/audit?text={task}`,
        channel: null,
        listen,
        budget: 45,
        watchEvery: 3000,
        logLevel: 'warn',
      },
    }),
  );
  slack.connect(`${bot.url}/slack/events`);
  const channel = slack.channel('data-science');
  slack.channel('random');

  const link = async (name: string, person: Pick<Person, 'guid' | 'username' | 'key'>) => {
    const user = Object.assign(slack.user(name, `${person.username}@example.com`), { locale: language });
    const { team } = slack.space;
    const { guid: server_user, username, key } = person;
    await bot.services.store.saveLink({
      team,
      slack_user: user.id,
      slack_name: name,
      server_user,
      username,
      key,
    });
    return user;
  };
  const { users, example } = existing
    ? await linkExisting(existing, link, slack)
    : {
        users: {
          ada: await link('ada', admin),
          pia: await link('pia', pia),
          vic: await link('vic', vic),
          new: slack.user('new'),
        },
        example: OWN_EXAMPLE,
      };
  if (!existing) await fill(server, pia, vic);
  slack.serve(demoPages(slack, { 'Content server': address }, example));
  const resources = stack.move();
  return {
    url: slack.url,
    slack,
    server,
    bot,
    channel,
    users,
    [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose](),
  };
}

async function linkExisting(
  { url, apiKey }: { url: string; apiKey: string },
  link: (name: string, person: Pick<Person, 'guid' | 'username' | 'key'>) => Promise<DoubleUser>,
  slack: SlackDouble,
): Promise<{ users: RunningDemo['users']; example: Example }> {
  const headers = { authorization: `Key ${apiKey}` };
  const response = await fetch(`${url}/__api__/v1/user`, { headers });
  if (!response.ok) throw new Error(`${url} does not take the key: HTTP ${response.status}`);
  const me = (await response.json()) as { guid: string; username: string };
  const ada = await link('ada', { ...me, key: apiKey });
  const listed = await fetch(`${url}/__api__/v1/content`, { headers });
  const items = (await listed.json()) as { name: string; bundle_id: string | null }[];
  const content = items.find((item) => item.bundle_id !== null)?.name ?? OWN_EXAMPLE.content;
  return {
    users: { ada, pia: ada, vic: ada, new: slack.user('new') },
    example: { content, person: me.username },
  };
}

/** Content with a history: bundles, deploys, visits. */
async function fill(server: TestServer, pia: Person, vic: Person): Promise<void> {
  const items = [
    { name: 'sales-report', title: 'Sales report', versions: 3 },
    { name: 'sales-europe', title: 'Sales in Europe', versions: 1 },
    { name: 'churn-model', title: 'Churn model', versions: 2 },
  ];
  const { db } = server.running.services.storage;
  for (const [n, { name, title, versions }] of items.entries()) {
    const created = await pia.call('POST', '/v1/content', { body: { name, title, access_type: 'all' } });
    const { guid } = created.body as { guid: string };
    for (let version = 1; version <= versions; version += 1) {
      const page = `<!doctype html><title>${title}</title><h1>${title}, version ${version}</h1>`;
      const { body } = await pia.call('POST', `/v1/content/${guid}/bundles`, {
        raw: makeArchive({ 'index.html': page }),
      });
      const deployed = await pia.call('POST', `/v1/content/${guid}/deploy`, { body: { bundle_id: body.id } });
      await pia.call('GET', `/v1/tasks/${deployed.body.task_id}?wait=20`);
    }
    const visits = Array.from({ length: 400 - 120 * n }, (_, i) => ({
      content_guid: guid,
      user_guid: [pia.guid, vic.guid, null][i % 3] ?? null,
      // More on weekdays than on weekends, and growing each week.
      time: (Date.now() - ((i * i * 7919) % (40 * 24)) * HOUR) * 1000,
      bundle_id: 1,
      rendering_id: null,
      variant_key: null,
      data_version: 1,
    }));
    await db.insertInto('visit').values(visits).execute();
  }
}
