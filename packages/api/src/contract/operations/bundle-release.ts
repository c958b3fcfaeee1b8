// The complete release of a bundle, from upload until live or rolled back; not in the contract.
import { endpoint } from '../endpoint.ts';
import {
  Closed,
  DateTime,
  Nullable,
  NumericId,
  OneOf,
  PathUuid,
  Type,
  Uuid,
  type Static,
} from '../schema.ts';
import { Release } from './approvals.ts';
import { BundleCommit } from './bundles.ts';
import { Canary } from './canaries.ts';
import { ContentLinks } from './content-links.ts';
import { Draft } from './drafts.ts';

const Step = Closed({
  what: OneOf(
    [
      'uploaded',
      'started',
      'ready',
      'failed',
      'asked',
      'approved',
      'overridden',
      'canary',
      'back',
      'replaced',
      'live',
    ],
    {
      description:
        '`started`, `failed`: a deploy, as a draft or live; `ready`: the draft can be opened; `canary`: it takes a share of new sessions; `back`, `replaced`: that ended, and it is not live',
    },
  ),
  time: DateTime,
  user_guid: Nullable(
    Type.String({ description: 'Who did it; null for the server, or where it is not kept' }),
  ),
  username: Nullable(Type.String({ description: 'Null for a deleted user, too' })),
  reason: Nullable(Type.String({ description: 'Why, where there is more to say' })),
  task_id: Nullable(Type.String({ description: 'The task whose log says more' })),
});

export const BundleRelease = Closed({
  content_guid: Uuid,
  bundle_id: Type.String(),
  state: OneOf(
    [
      'uploaded',
      'deploying',
      'failed',
      'draft',
      'held',
      'asked',
      'approved',
      'canary',
      'back',
      'live',
      'past',
    ],
    {
      description:
        '`held`: its rendering shrank, and waits for review as a draft; `asked`: it waits for approval; `approved`: it may go live and is not; `canary`: it takes a share of new sessions; `back`: it was rolled back as a canary; `past`: it was live',
    },
  ),
  live_bundle_id: Nullable(Type.String({ description: 'What is live now' })),
  commit: Nullable(BundleCommit),
  steps: Type.Array(Step, { description: 'The oldest first' }),
  draft: Nullable(Draft),
  approval: Nullable(Release),
  canary: Nullable(Canary),
  use: Nullable(
    Closed(
      {
        days: Type.Integer(),
        people: Type.Integer({ description: 'With an account' }),
        total: Type.Integer({ description: 'Visits and sessions, those without an account included' }),
      },
      { description: 'Of the content, in the last days; null for APIs, whose use is not counted' },
    ),
  ),
  links: ContentLinks,
});
export type BundleRelease = Static<typeof BundleRelease>;

export const getBundleRelease = endpoint({
  operationId: 'getBundleRelease',
  group: 'runs',
  summary:
    'Read all that is known of the release of a bundle: what happened to it, its draft, approvals, canary and commit, who used the content lately and what links to it',
  method: 'GET',
  path: '/v1/content/{guid}/bundles/{id}/release',
  access: 'user',
  origin: 'addition',
  kept: false,
  params: Type.Object({ guid: PathUuid, id: NumericId }),
  status: 200,
  response: BundleRelease,
  errors: [400, 401, 403, 404],
});
