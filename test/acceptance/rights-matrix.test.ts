// Covers role × operation × relation to the content, every cell over HTTP. Expected values are typed by hand; the
// operations come from the policy table.
import { operations, type Endpoint } from '@pressroom/api/contract';
import { makeArchive, startTestServer, type Call, type Person, type TestServer } from '@pressroom/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTENT_RULES, type ContentAction } from '../../packages/server/src/content/policy.ts';

const ROLES = ['viewer', 'publisher', 'administrator'] as const;
/** Relation to the content. A viewer is named directly or through a group; a stranger has no relation. */
const RELATIONS = ['owner', 'collaborator', 'viewer by user', 'viewer by group', 'stranger'] as const;
type Role = (typeof ROLES)[number];
type Relation = (typeof RELATIONS)[number];

/**
 * Columns: the five relations for viewers, then publishers, then administrators. `+` means allowed, a number is the
 * code of the refusal. A viewer who owns or collaborates was a publisher before.
 */
const EXPECTED: Record<ContentAction, string> = {
  getContent: '         +  +  +  +  19   +  +  +  +  19   +  +  +  +  +',
  updateContent: '      22 22 22 22 22   +  +  21 21 19   +  +  +  +  +',
  deleteContent: '      20 20 20 20 19   +  +  20 20 19   +  +  +  +  +',
  deployContent: '      22 22 22 22 19   +  +  22 22 19   +  +  +  +  +',
  uploadBundle: '       22 22 22 22 22   +  +  22 22 19   +  +  22 22 22',
  getBundle: '          +  +  +  +  19   +  +  +  +  19   +  +  +  +  19',
  downloadBundle: '     +  19 19 19 19   +  +  19 19 19   +  +  19 19 19',
  deleteBundle: '       20 20 20 20 19   +  +  20 20 19   +  +  20 20 20',
  managePermissions: '  21 21 21 21 19   +  +  21 21 19   +  +  +  +  +',
  readPermissions: '    +  19 19 19 19   +  +  19 19 19   +  +  +  +  +',
  manageVanity: '       21 21 21 21 19   +  +  21 21 19   +  +  +  +  +',
  readVanity: '         +  +  +  +  19   +  +  +  +  19   +  +  +  +  +',
  manageTags: '         21 21 21 21 19   +  +  21 21 19   +  +  +  +  +',
  manageEnvironment: '  21 21 21 21 19   +  +  21 21 19   +  +  21 21 21',
  readEnvironment: '    +  19 19 19 19   +  +  19 19 19   +  +  +  +  +',
  renderContent: '      22 22 22 22 19   +  +  22 22 19   +  +  +  +  +',
  restartContent: '     22 22 22 22 19   +  +  22 22 19   +  +  +  +  +',
  readPackages: '       +  19 19 19 19   +  +  19 19 19   +  +  +  +  +',
  readJobs: '           +  19 19 19 19   +  +  19 19 19   +  +  +  +  +',
  approveRelease: '     22 22 22 22 19   +  +  22 22 19   +  +  22 22 22',
  overrideRelease: '    22 22 22 22 19   +  22 22 22 19   +  +  +  +  +',
  manageApprovalRule: '    21 21 21 21 19   +  21 21 21 19   +  +  +  +  +',
  transferContent: '    21 21 21 21 19   +  21 21 21 19   +  +  +  +  +',
  openDraft: '          +  19 19 19 19   +  +  19 19 19   +  +  19 19 19',
  readSchedule: '       +  +  +  +  19   +  +  +  +  19   +  +  +  +  +',
  manageVariants: '     21 21 21 21 19   +  +  21 21 19   +  +  +  +  +',
  keepContent: '        21 21 21 21 19   +  +  21 21 19   +  +  +  +  +',
  manageSchedule: '     21 21 21 21 19   +  +  21 21 19   +  +  +  +  +',
};
/** The `role` computed by getContent, in the same columns. */
const COMPUTED =
  'owner viewer viewer viewer -  owner editor viewer viewer -  owner editor viewer viewer none';

interface Subject {
  readonly guid: string;
  readonly bundle: string;
}
interface Probe {
  readonly request: (subject: Subject) => readonly [method: string, path: string, options?: object];
  /** The result for an allowed caller. Probes change nothing, so some fail at the next rule. */
  readonly passes: number | { readonly code: number } | 'found';
}
/** Codes of a refusal. Any other response means that the caller was allowed. */
const REFUSALS = [19, 20, 21, 22, 24, 50];

const content = '/v1/experimental/content';
const PIPELINE = {
  issuer: 'https://ci.unknown.example',
  repository: 'acme/reports',
  drafts_only: true,
};
const REPOSITORY = { repository: 'https://git.example/x' };
const LONG_AGO = { reason: 'freeze', until: '2000-01-01T00:00:00Z' };
const probe = (passes: Probe['passes'], request: Probe['request']): Probe => ({ passes, request });
const PROBES: Record<ContentAction, readonly Probe[]> = {
  getContent: [
    probe(200, ({ guid }) => ['GET', `${content}/${guid}`]),
    probe(200, ({ guid }) => ['GET', `/v1/content/${guid}`]),
    probe(200, ({ guid }) => ['GET', `/applications/${guid}`]),
    probe(200, ({ guid }) => ['GET', `/applications/${guid}/tags`]),
    probe(200, ({ guid }) => ['GET', `/applications/${guid}/config`]),
    probe(200, ({ guid }) => ['GET', `/applications/${guid}/variants`]),
    probe({ code: 4 }, ({ guid }) => ['GET', `/variants/${guid}`]),
    probe({ code: 4 }, ({ guid }) => ['GET', `/variants/${guid}/renderings`]),
    probe(204, ({ guid }) => ['GET', `/applications/${guid}/image`]),
    probe({ code: 4 }, ({ guid }) => ['DELETE', `/v1/content/${guid}/variants/absentabsentabse`]),
  ],
  updateContent: [
    probe(200, ({ guid }) => ['POST', `${content}/${guid}`, { body: {} }]),
    probe(200, ({ guid }) => ['PATCH', `/v1/content/${guid}`, { body: {} }]),
    probe(200, ({ guid }) => ['POST', `/applications/${guid}`, { body: {} }]),
    probe({ code: 125 }, ({ guid }) => ['PUT', `/v1/content/${guid}/thumbnail`]),
    probe({ code: 145 }, ({ guid }) => ['PUT', `/v1/content/${guid}/repository`, { body: REPOSITORY }]),
    probe({ code: 145 }, ({ guid }) => ['PATCH', `/v1/content/${guid}/repository`, { body: {} }]),
    probe({ code: 143 }, ({ guid }) => ['POST', `/v1/content/${guid}/repository/secret`]),
    probe({ code: 17 }, ({ guid }) => ['DELETE', `/v1/content/${guid}/repository`]),
    probe({ code: 17 }, ({ guid }) => ['DELETE', `/v1/content/${guid}/thumbnail`]),
    probe({ code: 125 }, ({ guid }) => ['POST', `/applications/${guid}/image`]),
    probe({ code: 17 }, ({ guid }) => ['DELETE', `/applications/${guid}/image`]),
  ],
  keepContent: [probe(204, ({ guid }) => ['POST', `/v1/content/${guid}/keep`])],
  deleteContent: [
    probe(204, ({ guid }) => ['DELETE', `${content}/${guid}`]),
    // An allowed caller deleted it with the request before.
    probe({ code: 4 }, ({ guid }) => ['DELETE', `/v1/content/${guid}`]),
  ],
  deployContent: [
    probe({ code: 4 }, ({ guid }) => [
      'POST',
      `${content}/${guid}/deploy`,
      { body: { bundle_id: '999999' } },
    ]),
    probe({ code: 4 }, ({ guid }) => [
      'POST',
      `/v1/content/${guid}/deploy`,
      { body: { bundle_id: '999999' } },
    ]),
    probe({ code: 4 }, ({ guid }) => ['POST', `/applications/${guid}/deploy`, { body: { bundle: 999999 } }]),
    probe(200, ({ guid }) => ['POST', `/applications/${guid}/terminate`]),
    probe({ code: 25 }, ({ guid }) => ['PUT', `/v1/content/${guid}/deploy-lock`, { body: LONG_AGO }]),
    probe(204, ({ guid }) => ['DELETE', `/v1/content/${guid}/deploy-lock`]),
    probe(200, ({ guid }) => ['PUT', `/v1/content/${guid}/canary-rule`, { body: {} }]),
    probe(204, ({ guid }) => ['DELETE', `/v1/content/${guid}/canary-rule`]),
    probe({ code: 4 }, ({ guid }) => ['POST', `/v1/content/${guid}/canary/finish`]),
    probe({ code: 4 }, ({ guid }) => ['POST', `/v1/content/${guid}/canary/back`, { body: {} }]),
    probe({ code: 143 }, ({ guid }) => ['POST', `/v1/content/${guid}/repository/deploy`]),
    probe({ code: 39 }, ({ guid }) => ['POST', `/v1/content/${guid}/deploy`, { body: { activate: false } }]),
    probe({ code: 4 }, ({ guid }) => ['DELETE', `/v1/content/${guid}/drafts/1`]),
    probe({ code: 17 }, ({ guid }) => ['DELETE', `/v1/content/${guid}/trusted-publishers/999999`]),
    probe({ code: 4 }, ({ guid }) => [
      'POST',
      `/v1/content/${guid}/build`,
      { body: { bundle_id: '999999' } },
    ]),
  ],
  uploadBundle: [
    probe({ code: 125 }, ({ guid }) => ['POST', `${content}/${guid}/upload`, { raw: Buffer.alloc(0) }]),
    probe({ code: 125 }, ({ guid }) => ['POST', `/v1/content/${guid}/bundles`, { raw: Buffer.alloc(0) }]),
    probe({ code: 125 }, ({ guid }) => ['POST', `/applications/${guid}/upload`, { raw: Buffer.alloc(0) }]),
    probe({ code: 25 }, ({ guid }) => ['POST', `/v1/content/${guid}/trusted-publishers`, { body: PIPELINE }]),
  ],
  getBundle: [
    probe(200, ({ bundle }) => ['GET', `/v1/experimental/bundles/${bundle}`]),
    probe(200, ({ guid }) => ['GET', `${content}/${guid}/bundles`]),
    probe(200, ({ guid, bundle }) => ['GET', `/v1/content/${guid}/bundles/${bundle}`]),
    probe(200, ({ guid }) => ['GET', `/v1/content/${guid}/bundles`]),
  ],
  downloadBundle: [
    probe(200, ({ bundle }) => ['GET', `/v1/experimental/bundles/${bundle}/download`]),
    probe(200, ({ guid, bundle }) => ['GET', `/v1/content/${guid}/bundles/${bundle}/download`]),
  ],
  deleteBundle: [
    probe({ code: 75 }, ({ bundle }) => ['DELETE', `/v1/experimental/bundles/${bundle}`]),
    probe({ code: 75 }, ({ guid, bundle }) => ['DELETE', `/v1/content/${guid}/bundles/${bundle}`]),
  ],
  managePermissions: [
    probe({ code: 9 }, ({ guid }) => [
      'POST',
      `/v1/content/${guid}/permissions`,
      { body: { principal_guid: guid, principal_type: 'user', role: 'viewer' } },
    ]),
    probe({ code: 18 }, ({ guid }) => [
      'PUT',
      `/v1/content/${guid}/permissions/999999`,
      { body: { role: 'viewer' } },
    ]),
    probe({ code: 17 }, ({ guid }) => ['DELETE', `/v1/content/${guid}/permissions/999999`]),
    probe({ code: 18 }, ({ guid }) => [
      'PUT',
      `/v1/content/${guid}/access-requests/999999`,
      { body: { decision: 'decline' } },
    ]),
    probe({ code: 9 }, ({ guid }) => [
      'POST',
      `/applications/${guid}/users`,
      { body: { guid, app_role: 'viewer' } },
    ]),
    probe({ code: 9 }, ({ guid }) => [
      'POST',
      `/applications/${guid}/groups`,
      { body: { guid, app_role: 'viewer' } },
    ]),
    probe({ code: 17 }, ({ guid }) => ['DELETE', `/applications/${guid}/users/${guid}`]),
    probe({ code: 17 }, ({ guid }) => ['DELETE', `/applications/${guid}/groups/${guid}`]),
  ],
  readPermissions: [
    probe(200, ({ guid }) => ['GET', `/v1/content/${guid}/permissions`]),
    probe(200, ({ guid }) => ['GET', `/applications/${guid}/users`]),
    probe(200, ({ guid }) => ['GET', `/applications/${guid}/groups`]),
  ],
  manageVanity: [
    probe({ code: 51 }, ({ guid }) => ['PUT', `/v1/content/${guid}/vanity`, { body: { path: '/taken/' } }]),
    probe(204, ({ guid }) => ['DELETE', `/v1/content/${guid}/vanity`]),
  ],
  readVanity: [probe({ code: 4 }, ({ guid }) => ['GET', `/v1/content/${guid}/vanity`])],
  manageTags: [
    probe({ code: 4 }, ({ guid }) => ['POST', `/v1/content/${guid}/tags`, { body: { tag_id: 999_999 } }]),
    probe({ code: 4 }, ({ guid }) => ['POST', `/applications/${guid}/tags`, { body: { id: 999_999 } }]),
    probe({ code: 17 }, ({ guid }) => ['DELETE', `/v1/content/${guid}/tags/999999`]),
    probe({ code: 17 }, ({ guid }) => ['DELETE', `/applications/${guid}/tags/999999`]),
  ],
  manageEnvironment: [
    probe(200, ({ guid }) => ['PATCH', `/v1/content/${guid}/environment`, { body: [] }]),
    probe(200, ({ guid }) => ['PUT', `/v1/content/${guid}/environment`, { body: [] }]),
    probe(200, ({ guid }) => ['PUT', `/v1/content/${guid}/package-sources`, { body: { sources: [] } }]),
  ],
  renderContent: [
    probe({ code: 39 }, ({ guid }) => ['POST', `/v1/content/${guid}/render`]),
    probe({ code: 39 }, ({ guid }) => ['POST', `/variants/${guid}/render`]),
    probe({ code: 39 }, ({ guid }) => ['POST', `/v1/content/${guid}/variants/default/render`]),
  ],
  restartContent: [
    probe({ code: 39 }, ({ guid }) => ['POST', `/v1/content/${guid}/restart`]),
    probe({ code: 4 }, ({ guid }) => ['DELETE', `/v1/content/${guid}/jobs/absent`]),
  ],
  readPackages: [probe(200, ({ guid }) => ['GET', `/v1/content/${guid}/packages`])],
  readJobs: [
    probe(200, ({ guid }) => ['GET', `/v1/content/${guid}/jobs`]),
    probe({ code: 4 }, ({ guid }) => ['GET', `/v1/content/${guid}/jobs/absent`]),
    probe(200, ({ guid }) => ['GET', `/applications/${guid}/jobs`]),
    probe(200, ({ guid, bundle }) => ['GET', `/v1/content/${guid}/bundles/${bundle}/release`]),
  ],
  approveRelease: [
    probe({ code: 4 }, ({ guid, bundle }) => ['POST', `/v1/content/${guid}/releases/${bundle}/approve`]),
  ],
  overrideRelease: [
    probe({ code: 4 }, ({ guid, bundle }) => [
      'POST',
      `/v1/content/${guid}/releases/${bundle}/override`,
      { body: { reason: 'It burns' } },
    ]),
  ],
  manageApprovalRule: [
    probe(200, ({ guid }) => ['PUT', `/v1/content/${guid}/approval-rule`, { body: { approvals: 1 } }]),
    probe(204, ({ guid }) => ['DELETE', `/v1/content/${guid}/approval-rule`]),
  ],
  transferContent: [
    probe({ code: 9 }, ({ guid }) => [
      'PUT',
      `/v1/content/${guid}/owner`,
      { body: { owner_guid: '00000000-0000-4000-8000-000000000000' } },
    ]),
  ],
  openDraft: [
    probe(200, ({ guid, bundle }) => ['GET', `//content/${guid}/_bundle${bundle}/`]),
    probe({ code: 4 }, ({ guid }) => ['GET', `/v1/content/${guid}/variants/default/picture`]),
    probe(200, ({ guid, bundle }) => ['GET', `/v1/content/${guid}/bundles/${bundle}/numbers`]),
    probe({ code: 39 }, ({ guid, bundle }) => ['GET', `/v1/content/${guid}/bundles/${bundle}/pages`]),
  ],
  readSchedule: [
    probe({ code: 4 }, ({ guid }) => ['GET', `/v1/content/${guid}/schedule`]),
    probe({ code: 4 }, ({ guid }) => ['GET', `/schedules/${guid}`]),
    probe(200, ({ guid }) => ['GET', `/variants/${guid}/schedules`]),
  ],
  manageVariants: [
    probe({ code: 39 }, ({ guid }) => [
      'PATCH',
      `/v1/content/${guid}/parameters`,
      { body: { visitors_may_render: true } },
    ]),
    probe({ code: 39 }, ({ guid }) => ['POST', `/v1/content/${guid}/variants`, { body: { name: 'x' } }]),
    probe({ code: 39 }, ({ guid }) => ['PATCH', `/v1/content/${guid}/variants/default`, { body: {} }]),
    probe({ code: 71 }, ({ guid }) => [
      'POST',
      `/v1/content/${guid}/variants/default/promote`,
      { body: { source_key: 'default' } },
    ]),
    probe({ code: 39 }, ({ guid }) => ['POST', `/v1/content/${guid}/variants/default/held/accept`]),
    probe({ code: 39 }, ({ guid }) => ['DELETE', `/v1/content/${guid}/variants/default/held`]),
    probe({ code: 39 }, ({ guid }) => [
      'PUT',
      `/v1/content/${guid}/variants/default/recipients`,
      { body: { recipients: [{ type: 'user', value: guid }] } },
    ]),
    probe({ code: 39 }, ({ guid }) => ['POST', `/v1/content/${guid}/variants/default/send`]),
  ],
  manageSchedule: [
    probe({ code: 39 }, ({ guid }) => [
      'PUT',
      `/v1/content/${guid}/schedule`,
      { body: { cron: '0 6 * * *' } },
    ]),
    probe(204, ({ guid }) => ['DELETE', `/v1/content/${guid}/schedule`]),
    probe({ code: 39 }, ({ guid }) => [
      'POST',
      '/schedules',
      { body: { app_id: guid, variant_id: guid, type: 'weekday', schedule: {} } },
    ]),
    probe({ code: 4 }, ({ guid }) => [
      'POST',
      `/schedules/${guid}`,
      { body: { type: 'weekday', schedule: {} } },
    ]),
  ],
  readEnvironment: [
    probe(200, ({ guid }) => ['GET', `/v1/content/${guid}/environment`]),
    probe(200, ({ guid }) => ['GET', `/applications/${guid}/environment`]),
  ],
};

/** Other reads of one content item: their declaration says who may call them. */
const READS = Object.values<Endpoint>(operations)
  .filter(({ method, path }) => method === 'GET' && path.startsWith('/v1/content/{guid}'))
  .filter((operation) => !isAsked(operation))
  .map(({ operationId, path, forViewers }) => {
    const request: Probe['request'] = ({ guid, bundle }) => [
      'GET',
      path
        .replace('{guid}', guid)
        .replace('{key}', 'default')
        .replaceAll(/\{\w+\}/g, bundle),
    ];
    return [operationId, forViewers ? 'getContent' : 'readJobs', probe('found', request)] as const;
  });

function isAsked({ method, path }: Endpoint): boolean {
  const form = new RegExp(`^${method} ${path.replaceAll(/\{[^}]*\}/g, '[^/]+')}$`);
  return Object.values(PROBES)
    .flat()
    .map(({ request }) => request({ guid: 'GUID', bundle: '1' }))
    .some(([verb, asked]) => form.test(`${verb} ${asked.replace(/[?#].*/, '')}`));
}

const CELLS = ROLES.flatMap((role) => RELATIONS.map((relation) => [role, relation] as const));
const cellsOf = (row: string) => row.trim().split(/\s+/);

let server: TestServer;
let keeper: Person;
let locked: Person;
const people = new Map<string, Person>();
const subjects = new Map<string, Subject>();
const keyOf = (role: Role, relation: Relation) => `${role} ${relation}`;

beforeAll(async () => {
  server = await startTestServer();
  const admin = await server.administrator();
  keeper = await server.person('publisher');
  locked = await server.person('publisher');
  for (const [role, relation] of CELLS) {
    const granted = relation === 'owner' || relation === 'collaborator';
    people.set(keyOf(role, relation), await server.person(role === 'viewer' && granted ? 'publisher' : role));
  }
  const members = ROLES.map((role) => people.get(keyOf(role, 'viewer by group'))!.guid);
  const group = (await keeper.call('POST', '/v1/groups', { body: { name: 'Members' } })).body.guid;
  for (const user_guid of members)
    await keeper.call('POST', `/v1/groups/${group}/members`, { body: { user_guid } });
  const taken = (await keeper.call('POST', '/v1/content', { body: { name: 'taken' } })).body.guid;
  await keeper.call('PUT', `/v1/content/${taken}/vanity`, { body: { path: '/taken/' } });
  for (const [role, relation] of CELLS) {
    subjects.set(keyOf(role, relation), await makeSubject(role, relation, group));
  }
  for (const relation of ['owner', 'collaborator'] as const) {
    const { guid } = people.get(keyOf('viewer', relation))!;
    const lowered = await admin.call('PUT', `/v1/users/${guid}`, { body: { user_role: 'viewer' } });
    if (lowered.status !== 200) throw new Error('a publisher could not be made a viewer');
  }
  await admin.call('POST', `/v1/users/${locked.guid}/lock`, { body: { locked: true } });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Creates content with a deployed bundle, and gives the person this relation to it. */
async function makeSubject(role: Role, relation: Relation, group: string): Promise<Subject> {
  const person = people.get(keyOf(role, relation))!;
  const owner = relation === 'owner' ? person : keeper;
  const name = keyOf(role, relation).replaceAll(' ', '-');
  const { guid } = (await owner.call('POST', '/v1/content', { body: { name } })).body;
  const { id } = (
    await owner.call('POST', `/v1/content/${guid}/bundles`, { raw: makeArchive({ 'index.html': 'x' }) })
  ).body;
  const { task_id } = (await owner.call('POST', `/v1/content/${guid}/deploy`)).body;
  await owner.call('GET', `/v1/tasks/${task_id}?wait=20`);
  if (relation !== 'owner' && relation !== 'stranger') {
    const byGroup = relation === 'viewer by group';
    const body = {
      principal_guid: byGroup ? group : person.guid,
      principal_type: byGroup ? 'group' : 'user',
      role: relation === 'collaborator' ? 'owner' : 'viewer',
    };
    const granted = await keeper.call('POST', `/v1/content/${guid}/permissions`, { body });
    if (granted.status !== 200) throw new Error('the permission was not given');
  }
  return { guid, bundle: id };
}

async function outcome(call: Call, { request, passes }: Probe, subject: Subject): Promise<string> {
  const { status, body } = await call(...request(subject));
  const passed =
    passes === 'found'
      ? status !== 400 && status < 500 && !REFUSALS.includes(body?.code)
      : typeof passes === 'number'
        ? status === passes
        : body?.code === passes.code;
  return passed ? '+' : String(body?.code ?? status);
}

// Deletion comes last, since all rows use the same content.
const ACTIONS = (Object.keys(CONTENT_RULES) as ContentAction[]).toSorted(
  (a, b) => Number(a === 'deleteContent') - Number(b === 'deleteContent'),
);

test('the table covers every rule of the policy and every role and relation', () => {
  expect(Object.keys(EXPECTED).sort()).toEqual([...ACTIONS].sort());
  for (const row of [...Object.values(EXPECTED), COMPUTED]) expect(cellsOf(row)).toHaveLength(CELLS.length);
});

test('the table covers every operation on one content item', () => {
  const derived = new Set<string>(READS.map(([operationId]) => operationId));
  const missing = Object.values<Endpoint>(operations)
    .filter(({ path }) => path.startsWith('/v1/content/{guid}'))
    .filter((operation) => !derived.has(operation.operationId) && !isAsked(operation))
    .map(({ operationId }) => operationId);
  // Called by services with a signature, by people who may not see the content, or by administrators only.
  const others = ['pushRepository', 'requestContentAccess', 'setContentIntegrations'];
  expect(missing, 'add a request of each operation to PROBES, at its action').toEqual(others);
});

test('getContent computes the role of the caller', async () => {
  const roles = [];
  for (const [role, relation] of CELLS) {
    const key = keyOf(role, relation);
    const { body } = await people.get(key)!.call('GET', `${content}/${subjects.get(key)!.guid}`);
    roles.push(body.role ?? '-');
  }
  expect(roles).toEqual(cellsOf(COMPUTED));
});

describe.each(ACTIONS)('%s', (action) => {
  test('returns error 24 without a key, and error 50 to a locked user', async () => {
    const subject = subjects.get(keyOf('publisher', 'owner'))!;
    for (const one of PROBES[action]) {
      expect(await outcome(server.anonymous, one, subject)).toBe('24');
      expect(await outcome(locked.call, one, subject)).toBe('50');
    }
  });

  test.each(PROBES[action].map((one, i) => [i + 1, one] as const))(
    'form %i is allowed as the table says',
    async (_number, one) => {
      expect(await seenBy(one)).toEqual(rowOf(action));
    },
  );
});

describe.each(READS)('%s', (_operationId, action, one) => {
  test('returns error 24 without a key, and error 50 to a locked user', async () => {
    const subject = subjects.get(keyOf('publisher', 'owner'))!;
    expect(await outcome(server.anonymous, one, subject)).toBe('24');
    expect(await outcome(locked.call, one, subject)).toBe('50');
  });

  test('is allowed as its declaration says', async () => {
    expect(await seenBy(one)).toEqual(rowOf(action));
  });
});

async function seenBy(one: Probe): Promise<Record<string, string>> {
  const seen: Record<string, string> = {};
  for (const [role, relation] of CELLS) {
    const key = keyOf(role, relation);
    seen[key] = await outcome(people.get(key)!.call, one, subjects.get(key)!);
  }
  return seen;
}

function rowOf(action: ContentAction): Record<string, string> {
  return Object.fromEntries(cellsOf(EXPECTED[action]).map((cell, i) => [keyOf(...CELLS[i]!), cell]));
}
