// The complete release of a bundle: history, state, and affected people.
import { findKind, errors, isUseCounted, type BundleRelease } from '@pressroom/api/contract';
import { listOverrides } from '../../audit/store.ts';
import { shownCommit } from '../../bundles/commit.ts';
import { findBundle, type BundleRow } from '../../bundles/store.ts';
import { figuresOf } from '../../canaries/figures.ts';
import { presentCanary } from '../../canaries/routes.ts';
import { canariesOfBundle, OPEN, type CanaryRow } from '../../canaries/store.ts';
import { contentBaseOf } from '../../content/address.ts';
import { loadContent } from '../../content/commands.ts';
import { presentLinks } from '../../content/links/routes.ts';
import type { ContentRow } from '../../content/store.ts';
import type { ApiResponse, ApiRequest } from '../../http/request.ts';
import type { Config } from '../../main/config/settings.ts';
import { findUsers } from '../../people/store.ts';
import { toTimestamp, type Clock } from '../../platform/clock.ts';
import type { Micros } from '../../platform/database/schema.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import { tasksOfBundle, type TaskRow } from '../../tasks/store.ts';
import { readTotals } from '../../usage/totals-store.ts';
import { listDrafts, type NamedDraft } from '../drafts/store.ts';
import { presentDraft } from '../present.ts';
import { standingOf, type Standing } from './approvals.ts';
import { presentRelease } from './routes.ts';
import { listApprovals } from './store.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly config: Config;
}

export const bundleReleaseRoutes = { getBundleRelease };

const DAYS = 30;
const DAY: Micros = 86_400_000_000;

type What = BundleRelease['steps'][number]['what'];
interface Step {
  readonly what: What;
  readonly time: Micros;
  readonly user: string | null;
  readonly reason?: string | null;
  readonly task?: string | null;
}

/** Reads everything known about the release of a bundle. */
async function getBundleRelease(
  { storage: { db }, clock, config }: Parts,
  { params, caller, base }: ApiRequest<'getBundleRelease'>,
): Promise<ApiResponse<'getBundleRelease'>> {
  const { content } = await loadContent(db, params.guid, caller, 'readJobs');
  const bundle = await findBundle(db, Number(params.id));
  if (bundle?.content_guid !== content.guid)
    throw errors.notFound({ message: 'there is no such bundle of this content' });
  const standing = await standingOf(db, content, bundle);
  const [canaries, tasks] = [await canariesOfBundle(db, bundle.id), await tasksOfBundle(db, bundle.id)];
  const draft = (await listDrafts(db, content.guid, clock.now())).find(
    ({ bundle_id }) => bundle_id === bundle.id,
  );
  const steps = await stepsOf(db, { bundle, standing, canaries, tasks });
  const people = await findUsers(db, [...new Set(steps.flatMap(({ user }) => user ?? []))]);
  const names = new Map(people.map(({ guid, username }) => [guid, username]));
  const canary = canaries.at(-1);
  return {
    content_guid: content.guid,
    bundle_id: String(bundle.id),
    state: stateOf({ content, bundle, standing, canary, tasks, draft }),
    live_bundle_id: content.bundle_id === null ? null : String(content.bundle_id),
    commit: shownCommit(bundle.source),
    steps: steps.map(({ what, time, user, reason = null, task = null }) => ({
      what,
      time: toTimestamp(time),
      user_guid: user,
      username: user === null ? null : (names.get(user) ?? null),
      reason,
      task_id: task,
    })),
    draft: draft ? presentDraft(draft, contentBaseOf(config, base)) : null,
    approval: standing.release?.released_time === null ? presentRelease({ ...standing, bundle }) : null,
    canary: canary ? presentCanary({ row: canary, figures: await figuresOf(db, canary.id) }) : null,
    use: await useOf(db, content, clock.now()),
    links: await presentLinks(db, content.guid, caller),
  };
}

interface Known {
  readonly bundle: BundleRow;
  readonly standing: Standing;
  readonly canaries: readonly CanaryRow[];
  /** Deploys, as drafts or live. */
  readonly tasks: readonly TaskRow[];
}

/** Oldest first. Simultaneous steps are in logical order. */
async function stepsOf(db: Executor, { bundle, standing, canaries, tasks }: Known): Promise<Step[]> {
  const { release } = standing;
  const overrides = release?.override_by == null ? [] : await listOverrides(db, bundle.id);
  const isLiveTold = tasks.some(({ kind, finished, code }) => kind === 'deploy' && finished && code === 0);
  const steps: Step[] = [
    { what: 'uploaded', time: bundle.created_time, user: bundle.created_by },
    ...(release ? [{ what: 'asked', time: release.created_time, user: release.user_guid } as const] : []),
    ...(await listApprovals(db, bundle.id)).map(
      ({ created_time: time, user_guid: user }) => ({ what: 'approved', time, user }) as const,
    ),
    ...overrides.map(
      ({ time }) =>
        ({
          what: 'overridden',
          time,
          user: release?.override_by ?? null,
          reason: release?.override_reason ?? null,
        }) as const,
    ),
    ...tasks.flatMap(ofTask),
    ...canaries.flatMap(ofCanary),
    // Tasks are kept for a limited time.
    ...(isLiveTold || bundle.deployed_time === null
      ? []
      : [{ what: 'live', time: bundle.deployed_time, user: null } as const]),
  ];
  return steps.toSorted((a, b) => a.time - b.time);
}

function ofTask(row: TaskRow): Step[] {
  const { id: task, kind, user_guid: user, created_time, finished_time, code, error, preview } = row;
  const reason = preview === null ? null : `preview ${preview}`;
  const started: Step = { what: 'started', time: created_time, user, task, reason };
  if (finished_time === null) return [started];
  const end = { time: finished_time, user, task };
  if (code !== 0) return [started, { what: 'failed', ...end, reason: error }];
  return [started, { what: kind === 'draft' ? 'ready' : 'live', ...end }];
}

/** Its task reports that it went live. */
function ofCanary({
  state,
  started_time,
  decided_time,
  decided_by,
  reason,
  user_guid,
  share,
}: CanaryRow): Step[] {
  const began: Step[] =
    started_time === null
      ? []
      : [{ what: 'canary', time: started_time, user: user_guid, reason: `${share} % of new sessions` }];
  const isOver = state === 'back' || state === 'replaced';
  if (!isOver || decided_time === null) return began;
  return [...began, { what: state, time: decided_time, user: decided_by, reason }];
}

function stateOf({
  content,
  bundle,
  standing: { release, mayGoLive },
  canary,
  tasks,
  draft,
}: {
  readonly content: ContentRow;
  readonly bundle: BundleRow;
  readonly standing: Standing;
  readonly canary: CanaryRow | undefined;
  readonly tasks: readonly TaskRow[];
  readonly draft: NamedDraft | undefined;
}): BundleRelease['state'] {
  const last = tasks.at(-1);
  if (last && !last.finished) return 'deploying';
  if (draft && last && last.code !== 0 && draft.task_id === last.id) return 'held';
  if (content.bundle_id === bundle.id) return 'live';
  if (canary && OPEN.includes(canary.state)) return 'canary';
  const isPending = release?.released_time === null;
  if (isPending && !mayGoLive) return 'asked';
  if (canary?.state === 'back' && last?.id === canary.task_id) return 'back';
  if (isPending) return 'approved';
  if (last && last.code !== 0) return 'failed';
  if (draft) return 'draft';
  return bundle.deployed_time === null ? 'uploaded' : 'past';
}

async function useOf(
  db: Executor,
  { guid, kind: appmode }: ContentRow,
  now: Micros,
): Promise<BundleRelease['use']> {
  const kind = appmode === null ? undefined : findKind(appmode);
  if (kind && !isUseCounted(kind)) return null;
  const { users, contents } = await readTotals(db, {
    contents: [guid],
    scope: null,
    from: now - DAYS * DAY,
    to: now,
  });
  const { visits, sessions } = contents.get(guid) ?? { visits: 0, sessions: 0 };
  return { days: DAYS, people: users.size - (users.has('') ? 1 : 0), total: visits + sessions };
}
