// Publishes content as a client would: create, upload, deploy, wait.
import { makeArchive, type Files } from './archives.ts';
import type { Person } from './test-server.ts';

export interface Published {
  readonly guid: string;
  /** Path of the content, for `call` with `//`. */
  readonly path: string;
  /** Its finished deploy task. */
  readonly task: FinishedTask;
}

export interface FinishedTask {
  readonly id: string;
  readonly code: number;
  readonly error: string;
  readonly output: string[];
}

export interface PublishOptions {
  /** Metadata of the manifest; the appmode is `static` by default. */
  readonly metadata?: Record<string, unknown>;
  /** Fields of the content item. */
  readonly fields?: Record<string, unknown>;
  /** The content item to deploy to; a new one by default. */
  readonly guid?: string;
}

let contents = 0;

/** @throws if the server refuses; a failed deploy is reported by the task. */
export async function publish(
  person: Person,
  files: Files,
  options: PublishOptions = {},
): Promise<Published> {
  const { metadata = {}, fields = {} } = options;
  contents += 1;
  const body = { name: `content-${contents}`, access_type: 'all', ...fields };
  const guid = options.guid ?? (await expectOk(person, 'POST', '/v1/content', { body })).guid;
  const id = await upload(person, guid, files, metadata);
  const { task_id } = await expectOk(person, 'POST', `/v1/content/${guid}/deploy`, {
    body: { bundle_id: id },
  });
  return { guid, path: `//content/${guid}/`, task: await finishedTask(person, task_id) };
}

/** Returns the id of the bundle. @throws if the server refuses it */
export async function upload(
  person: Pick<Person, 'call'>,
  guid: string,
  files: Files,
  metadata: object = {},
): Promise<string> {
  const raw = makeArchive(files, { ...metadata });
  return (await expectOk(person, 'POST', `/v1/content/${guid}/bundles`, { raw })).id;
}

/** Gives a person access to content. Returns the permission. @throws if the server refuses */
export function grant(
  owner: Pick<Person, 'call'>,
  guid: string,
  { guid: principal_guid }: Pick<Person, 'guid'>,
  role: 'owner' | 'viewer',
): Promise<{ readonly id: string }> {
  const body = { principal_guid, principal_type: 'user', role };
  return expectOk(owner, 'POST', `/v1/content/${guid}/permissions`, { body });
}

export async function finishedTask(person: Pick<Person, 'call'>, id: string): Promise<FinishedTask> {
  for (;;) {
    const task = await expectOk(person, 'GET', `/v1/tasks/${id}?wait=20`);
    if (task.finished) return task;
  }
}

async function expectOk(person: Pick<Person, 'call'>, ...request: Parameters<Person['call']>) {
  const { status, body } = await person.call(...request);
  if (status !== 200) throw new Error(`${request[0]} ${request[1]}: ${status} ${JSON.stringify(body)}`);
  return body;
}
