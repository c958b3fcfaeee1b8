// What tests of drafts do with a server and a publisher: they publish, deploy drafts, and read what is shown.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { finishedTask, upload, type Files, type Person, type TestServer } from '@pressroom/testkit';

export const API = { appmode: 'python-api', entrypoint: 'app:app' };
/** An application that says this text, its process, and a variable. */
export const app = (text: string) => `
import os, uuid
own = uuid.uuid4()
def app(environ, start):
    start("200 OK", [("Content-Type", "text/plain")])
    return [f"${text} {own} {os.environ.get('WORD')}".encode()]
`;

/** The server and the publisher are asked for when they are needed: tests start them later. */
export function draftSteps(server: () => TestServer, owner: () => Person) {
  async function deploy(guid: string, body: Record<string, unknown>) {
    const { status, body: response } = await owner().call('POST', `/v1/content/${guid}/deploy`, { body });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(response)}`);
    return finishedTask(owner(), response.task_id);
  }
  return {
    deploy,
    /** Uploads a bundle and deploys it as a draft. */
    async draft(guid: string, files: Files, more = {}, metadata = {}) {
      const id = await upload(owner(), guid, files, metadata);
      const task = await deploy(guid, { bundle_id: id, activate: false, ...more });
      return { id, task };
    },
    drafts: async (guid: string) => (await owner().call('GET', `/v1/content/${guid}/drafts`)).body,
    async read(person: Person, path: string) {
      const { status, bytes } = await person.call('GET', path);
      return status === 200 ? bytes.toString() : status;
    },
    sitesOf: async (guid: string) =>
      (await readdir(join(server().dataDir, 'content', guid))).filter((name) => !name.startsWith('rev-')),
  };
}
