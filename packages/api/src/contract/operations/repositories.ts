// Git-backed content: the repository of bundles, deploys of its newest commit, and its webhook; not in the contract,
// except for codes 142 to 145.
import { endpoint } from '../endpoint.ts';
import { Closed, DateTime, Nullable, PathUuid, Type, type Static } from '../schema.ts';

const params = Type.Object({ guid: PathUuid });
const base = { group: 'content', origin: 'addition', kept: false, params } as const;
const path = '/v1/content/{guid}/repository';

const Url = Type.String({
  minLength: 1,
  maxLength: 2000,
  description:
    'https:// or http:// without a user, ssh://user@host/path or git@host:path; never with a password',
  'x-error': 25,
});
const Branch = Type.String({ minLength: 1, maxLength: 255, 'x-error': 25 });
const Directory = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'With the content, relative to the root of the repository',
  'x-error': 25,
});
const Polling = Type.Boolean({ description: 'Look for new commits again and again', 'x-error': 25 });
const Username = Nullable(
  Type.String({ maxLength: 255, description: 'With the token; null: `git`', 'x-error': 25 }),
);
const Token = Nullable(
  Type.String({
    minLength: 1,
    maxLength: 4096,
    description: 'Access token or password; never returned. Null: none',
    'x-error': 25,
  }),
);

const DeployKey = Nullable(
  Type.String({
    minLength: 1,
    maxLength: 16_384,
    description: 'Private key for ssh, in the format of OpenSSH; never returned. Null: make another pair',
    'x-error': 25,
  }),
);
const HostKeys = Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), {
  maxItems: 8,
  description:
    'Keys of the ssh server that are trusted: lines of known_hosts, or fingerprints that it offers',
  'x-error': 25,
});

export const Repository = Closed({
  repository: Type.String(),
  branch: Type.String(),
  directory: Type.String(),
  polling: Type.Boolean(),
  username: Nullable(Type.String()),
  has_token: Type.Boolean(),
  public_key: Nullable(Type.String({ description: 'To enter as a deploy key; null: not over ssh' })),
  host_keys: Type.Array(Type.String(), { description: 'Fingerprints of the keys that are trusted' }),
  offered_host_keys: Type.Array(Type.String(), {
    description: 'Fingerprints that the ssh server offered when no key was trusted',
  }),
  connected_by: Type.String({ description: 'GUID of the user with whose rights commits are deployed' }),
  webhook_url: Type.String(),
  last_error: Nullable(Type.String()),
  last_known_commit: Nullable(Type.String()),
  last_fetched_time: Nullable(DateTime),
});
export type Repository = Static<typeof Repository>;

export const RepositoryWithSecret = Closed({
  ...Repository.properties,
  webhook_secret: Type.String({ description: 'Returned only this once' }),
});

export const getRepository = endpoint({
  ...base,
  operationId: 'getRepository',
  summary: 'Read the Git repository of a content item; 404 where it has none',
  method: 'GET',
  path,
  access: 'user',
  status: 200,
  response: Repository,
  errors: [400, 401, 403, 404],
});

/** Of a repository, beside its URL. */
const settings = {
  branch: Type.Optional(Branch),
  directory: Type.Optional(Directory),
  polling: Type.Optional(Polling),
  username: Type.Optional(Username),
  token: Type.Optional(Token),
  deploy_key: Type.Optional(DeployKey),
  host_keys: Type.Optional(HostKeys),
};

export const setRepository = endpoint({
  ...base,
  operationId: 'setRepository',
  visitorKey: false,
  summary: 'Take content from a Git repository; error 142 where it is, 145 where the server does not',
  method: 'PUT',
  path,
  access: 'publisher',
  body: Type.Object({ repository: Url, ...settings }),
  status: 200,
  response: RepositoryWithSecret,
  errors: [400, 401, 403, 404, 409],
});

export const updateRepository = endpoint({
  ...base,
  operationId: 'updateRepository',
  visitorKey: false,
  summary: 'Change the Git repository of a content item; another repository forgets token and deploy key',
  method: 'PATCH',
  path,
  access: 'publisher',
  body: Type.Object({ repository: Type.Optional(Url), ...settings }),
  status: 200,
  response: Repository,
  errors: [400, 401, 403, 404, 409],
});

export const deleteRepository = endpoint({
  ...base,
  operationId: 'deleteRepository',
  summary: 'Stop taking content from a Git repository; its bundles stay',
  method: 'DELETE',
  path,
  access: 'publisher',
  status: 204,
  response: 'empty',
  errors: [400, 401, 403, 404],
});

export const deployRepository = endpoint({
  ...base,
  operationId: 'deployRepository',
  summary: 'Deploy the newest commit of the Git repository of a content item',
  method: 'POST',
  path: `${path}/deploy`,
  access: 'user',
  body: Type.Object({
    force: Type.Optional(Type.Boolean({ description: 'Also a commit that is live already', 'x-error': 25 })),
  }),
  bodyOptional: true,
  status: 200,
  response: Closed({ task_id: Type.String() }),
  errors: [400, 401, 403, 404, 409],
});

export const renewRepositorySecret = endpoint({
  ...base,
  operationId: 'renewRepositorySecret',
  visitorKey: false,
  summary: 'Make another webhook secret; the previous one stops working',
  method: 'POST',
  path: `${path}/secret`,
  access: 'publisher',
  status: 200,
  response: RepositoryWithSecret,
  errors: [400, 401, 403, 404, 409],
});

export const pushRepository = endpoint({
  ...base,
  operationId: 'pushRepository',
  summary:
    'The webhook of GitHub, GitLab, Gitea and Forgejo, signed with the webhook secret: the server looks for new commits',
  method: 'POST',
  path: `${path}/push`,
  access: 'anyone',
  body: 'file',
  status: 204,
  response: 'empty',
  errors: [400, 401, 404],
});
