// What tests of git-backed content do with a server and a Git server: they connect, deploy, and look at the result.
import { createHmac } from 'node:crypto';
import { finishedTask, type GitServer, type Person, type TestServer } from '@pressroom/testkit';
import { expect } from 'vitest';

export const GIT_SETTINGS = {
  'Applications.GitEnabled': true,
  'Git.PrivateHosts': '127.0.0.1',
  'Git.MaxRepositorySize': 2 ** 20,
  'Git.Timeout': 60,
};

interface World {
  readonly server: TestServer;
  readonly git: GitServer;
  readonly owner: Person;
  /** The content. */
  readonly guid: string;
}

/** @param world called when they are needed: tests start them later */
export function gitSteps(world: () => World) {
  let count = 0;
  const path = () => `/v1/content/${world().guid}/repository`;
  const steps = {
    /** Of the webhook of the last connection. */
    secret: '',
    path,
    async newContent(): Promise<string> {
      const body = { name: `git-${(count += 1)}` };
      return (await world().owner.call('POST', '/v1/content', { body })).body.guid;
    },
    async connect(wanted: object = {}) {
      const { owner, git } = world();
      const response = await owner.call('PUT', path(), { body: { repository: git.url, ...wanted } });
      steps.secret = response.body.webhook_secret;
      return response;
    },
    async deploy(body: object = {}) {
      const { owner } = world();
      const started = await owner.call('POST', `${path()}/deploy`, { body });
      expect(started.status, JSON.stringify(started.body)).toBe(200);
      return finishedTask(owner, started.body.task_id);
    },
    async bundles() {
      const { owner, guid } = world();
      return (await owner.call('GET', `/v1/content/${guid}/bundles`)).body;
    },
    async page() {
      const { server, owner, guid } = world();
      const headers = { Authorization: `Key ${owner.key}` };
      return (await fetch(`${server.url}/content/${guid}/`, { headers })).text();
    },
    async push(body: string, headers: Record<string, string>) {
      const url = `${world().server.url}/__api__${path()}/push`;
      return (await fetch(url, { method: 'POST', body, headers })).status;
    },
    signed: (body: string) => createHmac('sha256', steps.secret).update(body).digest('hex'),
    sendWebhook: () => steps.push('{}', { 'X-Hub-Signature-256': `sha256=${steps.signed('{}')}` }),
    /** Waits until this many deploys have ended. */
    async deploys(least: number): Promise<void> {
      const { owner, guid } = world();
      await expect
        .poll(async () => {
          const { body } = await owner.call('GET', `/v1/content/${guid}/deploys`);
          const ended = body.filter((one: { finished_time: string | null }) => one.finished_time !== null);
          return ended.length;
        })
        .toBeGreaterThanOrEqual(least);
    },
  };
  return steps;
}
