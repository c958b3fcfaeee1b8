// What tests of canaries do with a server: they publish, begin a canary, visit it, and wait for its end.
import {
  finishedTask,
  publish,
  PYTHON_API,
  pythonApi,
  upload,
  type Person,
  type TestServer,
} from '@pressroom/testkit';
import { expect, vi } from 'vitest';

/** The server and the publisher are asked for when they are needed: tests start them later. */
export function canarySteps(server: () => TestServer, owner: () => Person) {
  const live = () => publish(owner(), pythonApi('old'), { metadata: PYTHON_API });
  const post = (guid: string, body: object) => owner().call('POST', `/v1/content/${guid}/deploy`, { body });
  async function deploy(guid: string, body: object) {
    const { status, body: response } = await post(guid, body);
    expect([status, response.error]).toEqual([200, undefined]);
    return finishedTask(owner(), response.task_id);
  }
  /** Uploads a bundle and starts a canary with half of the visitors. */
  async function begin(
    guid: string,
    files = pythonApi('new'),
    canary: object = { share: 50 },
  ): Promise<string> {
    const bundle_id = await upload(owner(), guid, files, PYTHON_API);
    expect(await deploy(guid, { bundle_id, canary })).toMatchObject({ code: 0 });
    return bundle_id;
  }
  const canaryOf = async (guid: string) => (await owner().call('GET', `/v1/content/${guid}/canary`)).body;

  /** Locks deploys of a content item when the next one has just begun. */
  function lockAtNextDeploy(guid: string) {
    const { deploys } = server().running.services;
    const { run } = deploys;
    return vi.spyOn(deploys, 'run').mockImplementationOnce(async (...task) => {
      await owner().call('PUT', `/v1/content/${guid}/deploy-lock`, { body: { reason: 'freeze' } });
      return run(...task);
    });
  }

  const liveOf = async (guid: string) => (await owner().call('GET', `/v1/content/${guid}`)).body.bundle_id;
  async function reach(guid: string, wanted: string): Promise<void> {
    await expect.poll(async () => (await canaryOf(guid)).state, { interval: 100 }).toBe(wanted);
  }
  const visit = async (guid: string) => {
    const { status, bytes } = await server().anonymous('GET', `//content/${guid}/`);
    return { status, text: bytes.toString() };
  };
  async function visits(guid: string, count: number) {
    const all = [];
    for (let i = 0; i < count; i += 1) all.push(await visit(guid));
    return all;
  }
  /** Waits until both bundles were shown: each visitor gets one at random. */
  async function untilBothAreShown(guid: string): Promise<void> {
    const seen = new Set<string>();
    while (seen.size < 2) seen.add((await visit(guid)).text);
  }
  /** Returns what 12 new visitors are shown, where this is not random. */
  const shown = async (guid: string) => [...new Set((await visits(guid, 12)).map(({ text }) => text))].sort();
  /** Makes the canary's time pass. */
  async function passTime(guid: string): Promise<void> {
    const { db } = server().running.services.storage;
    await db.updateTable('canary').set({ started_time: 1 }).where('content_guid', '=', guid).execute();
  }
  const actions = async (guid: string) => {
    const admin = await server().administrator();
    const { results } = (await admin.call('GET', '/v1/audit_logs?ascOrder=false&limit=300')).body;
    return results
      .filter(({ event_description: text }: { event_description: string }) => text.includes(guid))
      .map(({ action }: { action: string }) => action);
  };

  /** Visits until the canary has ended: not without a pause, as the server judges once a second. */
  async function visitUntilEnd(guid: string, count: number): Promise<void> {
    const state = async () => {
      await visits(guid, count);
      return (await canaryOf(guid)).state;
    };
    await expect.poll(state, { interval: 100 }).not.toBe('running');
  }

  return {
    live,
    post,
    deploy,
    begin,
    canaryOf,
    lockAtNextDeploy,
    liveOf,
    reach,
    visit,
    visits,
    untilBothAreShown,
    shown,
    passTime,
    actions,
    visitUntilEnd,
  };
}
