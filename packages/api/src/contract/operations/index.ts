// The whole contract: all operations by id. Routes, client, OpenAPI and contract tests derive from it.
import type { Endpoint, Pair } from '../endpoint.ts';
import * as absent from './absent.ts';
import * as accessRequests from './access-requests.ts';
import * as accounts from './accounts.ts';
import * as applications from './applications.ts';
import * as approvals from './approvals.ts';
import * as audit from './audit.ts';
import * as backups from './backups.ts';
import * as bootstrap from './bootstrap.ts';
import * as bundleRelease from './bundle-release.ts';
import * as bundles from './bundles.ts';
import * as canaries from './canaries.ts';
import * as contentLinks from './content-links.ts';
import * as contentVariants from './content-variants.ts';
import * as content from './content.ts';
import * as deployLock from './deploy-lock.ts';
import * as deviceSignIn from './device-sign-in.ts';
import * as drafts from './drafts.ts';
import * as groups from './groups.ts';
import * as instrumentation from './instrumentation.ts';
import * as integrations from './integrations.ts';
import * as olderApplications from './older-applications.ts';
import * as packageSources from './package-sources.ts';
import * as packages from './packages.ts';
import * as permissions from './permissions.ts';
import * as pictures from './pictures.ts';
import * as reportMail from './report-mail.ts';
import * as repositories from './repositories.ts';
import * as runs from './runs.ts';
import * as search from './search.ts';
import * as serverSettings from './server-settings.ts';
import * as servers from './servers.ts';
import * as tags from './tags.ts';
import * as tasks from './tasks.ts';
import * as thumbnails from './thumbnails.ts';
import * as tokens from './tokens.ts';
import * as trustedPublishers from './trusted-publishers.ts';
import * as unusedContent from './unused-content.ts';
import * as users from './users.ts';
import * as variants from './variants.ts';

const modules = {
  ...absent,
  ...accessRequests,
  ...accounts,
  ...approvals,
  ...applications,
  ...audit,
  ...backups,
  ...bootstrap,
  ...bundleRelease,
  ...bundles,
  ...canaries,
  ...content,
  ...contentLinks,
  ...contentVariants,
  ...deployLock,
  ...deviceSignIn,
  ...integrations,
  ...drafts,
  ...groups,
  ...instrumentation,
  ...olderApplications,
  ...packages,
  ...permissions,
  ...packageSources,
  ...pictures,
  ...reportMail,
  ...repositories,
  ...runs,
  ...search,
  ...serverSettings,
  ...servers,
  ...tags,
  ...tasks,
  ...thumbnails,
  ...tokens,
  ...trustedPublishers,
  ...unusedContent,
  ...users,
  ...variants,
};

type Modules = typeof modules;
type Flat<T> = { [K in keyof T]: T[K] };
/** Ids of operations with two forms: the experimental form has this id, the stable one the suffix `Ga`. */
export type PairedId = {
  [K in keyof Modules]: Modules[K] extends Pair ? K : never;
}[keyof Modules];
type SingleId = { [K in keyof Modules]: Modules[K] extends Endpoint ? K : never }[keyof Modules];

/** All forms of all operations by operationId. */
export type Operations = Flat<
  { [K in SingleId]: Modules[K] } & { [K in PairedId]: Modules[K]['experimental'] } & {
    [K in PairedId as `${K}Ga`]: Modules[K]['stable'];
  }
>;
export type OperationId = keyof Operations;

/** Operations with two forms, by the id of the experimental one: one handler serves both. */
export const pairs = Object.fromEntries(Object.entries(modules).filter(([, value]) => isPair(value))) as {
  readonly [K in PairedId]: Modules[K];
};

/** All forms of all operations, sorted by id. */
export const operations = Object.fromEntries(
  Object.values(modules as Record<string, unknown>)
    .flatMap((value) =>
      isPair(value) ? [value.experimental, value.stable] : isEndpoint(value) ? [value] : [],
    )
    .map((operation) => [operation.operationId, operation] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1)),
) as unknown as Operations;

function isPair(value: unknown): value is Pair {
  return typeof value === 'object' && value !== null && 'stable' in value;
}

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'operationId' in value;
}

export { MAX_APPROVALS } from './approvals.ts';
export { MAX_APPLICATIONS } from './applications.ts';
export { ACCESS_TYPES, MAX_CANARY_SECONDS, MAX_SHARE, PREVIEW_NAME } from './content.ts';
export { PARAMETER_INPUTS } from './content-variants.ts';
export { DEVICE_ERRORS } from './device-sign-in.ts';
export { API_KEY_TOKEN, TOKEN_EXCHANGE } from './integrations.ts';
export { MAX_MAIL_RECIPIENTS } from './report-mail.ts';
export { TASK_STAGES } from './tasks.ts';
export { ROLES } from './users.ts';

// Types used by server and clients.
export type * from './absent.ts';
export type * from './access-requests.ts';
export type * from './accounts.ts';
export type * from './applications.ts';
export type * from './approvals.ts';
export type * from './audit.ts';
export type * from './backups.ts';
export type * from './bootstrap.ts';
export type * from './bundle-release.ts';
export type * from './bundles.ts';
export type * from './canaries.ts';
export type * from './content.ts';
export type * from './content-links.ts';
export type * from './content-variants.ts';
export type * from './deploy-lock.ts';
export type * from './device-sign-in.ts';
export type * from './drafts.ts';
export type * from './groups.ts';
export type * from './instrumentation.ts';
export type * from './integrations.ts';
export type * from './older-applications.ts';
export type * from './packages.ts';
export type * from './permissions.ts';
export type * from './package-sources.ts';
export type * from './pictures.ts';
export type * from './report-mail.ts';
export type * from './repositories.ts';
export type * from './runs.ts';
export type * from './search.ts';
export type * from './server-settings.ts';
export type * from './servers.ts';
export type * from './tags.ts';
export type * from './tasks.ts';
export type * from './thumbnails.ts';
export type * from './tokens.ts';
export type * from './trusted-publishers.ts';
export type * from './unused-content.ts';
export type * from './users.ts';
export type * from './variants.ts';
