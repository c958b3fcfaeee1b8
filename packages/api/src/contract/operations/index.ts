// The whole contract: every operation by its id. Routes, client, OpenAPI and contract tests start here.
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
import * as content from './content.ts';
import * as contentLinks from './content-links.ts';
import * as contentVariants from './content-variants.ts';
import * as deployLock from './deploy-lock.ts';
import * as deviceSignIn from './device-sign-in.ts';
import * as drafts from './drafts.ts';
import type { Endpoint, Pair } from '../endpoint.ts';
import * as groups from './groups.ts';
import * as instrumentation from './instrumentation.ts';
import * as olderApplications from './older-applications.ts';
import * as packages from './packages.ts';
import * as permissions from './permissions.ts';
import * as packageSources from './package-sources.ts';
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
/** Ids of the operations that have two forms: the experimental form has this id, the stable one has `Ga` behind it. */
export type PairedId = {
  [K in keyof Modules]: Modules[K] extends Pair ? K : never;
}[keyof Modules];
type SingleId = { [K in keyof Modules]: Modules[K] extends Endpoint ? K : never }[keyof Modules];

/** Every form of every operation under its operationId. */
export type Operations = Flat<
  { [K in SingleId]: Modules[K] } & { [K in PairedId]: Modules[K]['experimental'] } & {
    [K in PairedId as `${K}Ga`]: Modules[K]['stable'];
  }
>;
export type OperationId = keyof Operations;

/** Operations in two forms, by the id of the experimental one: one handler answers both. */
export const pairs = Object.fromEntries(Object.entries(modules).filter(([, value]) => isPair(value))) as {
  readonly [K in PairedId]: Modules[K];
};

/** Every form of every operation by its id, in the order of the ids. */
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

export type { Session } from './accounts.ts';
export { MOST_APPROVALS, type ApprovalRule, type Approver, type Release } from './approvals.ts';
export { LONGEST_CANARY, MOST_SHARE } from './content.ts';
export { MAX_APPLICATIONS, type Application } from './applications.ts';
export type { AuditEntry, AuditEvent } from './audit.ts';
export type { BundleRelease } from './bundle-release.ts';
export type { Bundle, BundleCommit, BundleGa } from './bundles.ts';
export type { Canary, CanaryFigures, CanaryRule } from './canaries.ts';
export {
  ACCESS_TYPES,
  PREVIEW_NAME,
  type Content,
  type ContentChanges,
  type ContentChangesGa,
  type ContentGa,
  type NewContentGa,
} from './content.ts';
export type { ContentLinks } from './content-links.ts';
export {
  PARAMETER_INPUTS,
  type ContentParameters,
  type ContentVariant,
  type Parameter,
  type ParameterValue,
  type VariantRendering,
} from './content-variants.ts';
export { DEVICE_ERRORS, type DeviceCode, type DeviceError } from './device-sign-in.ts';
export type { Group, GroupContent, GroupWithTicket } from './groups.ts';
export type { ContentHit, ContentVisit, ShinyAppUsage, UsageTotals } from './instrumentation.ts';
export type { ApplicationGroup, ApplicationJob, ApplicationUser } from './older-applications.ts';
export type { ContentPackage, ServerPackage } from './packages.ts';
export type { MovedNumbers, PageComparison } from './pictures.ts';
export type { PackageSource } from './package-sources.ts';
export type { AccessRequest, ListedAccessRequest, RoleRequest } from './access-requests.ts';
export type { Permission } from './permissions.ts';
export type { Draft } from './drafts.ts';
export type { DeployLock } from './deploy-lock.ts';
export type { MailDelivery, MailRecipient } from './report-mail.ts';
export type { Repository } from './repositories.ts';
export type { ContentDeploy, Job, JobLog, Schedule, TimeZone } from './runs.ts';
export type { RInstallations, ServerSettings } from './server-settings.ts';
export type { ServerFinding, ServerState, ServerStates } from './servers.ts';
export type { Tag, TagBranch } from './tags.ts';
export type { PublishingKey, TrustedPublisher } from './trusted-publishers.ts';
export { TASK_STAGES, type Task, type TaskStage, type TaskStageName } from './tasks.ts';
export type { UnusedContent } from './unused-content.ts';
export {
  ROLES,
  type ApiKey,
  type EditableUser,
  type NewApiKey,
  type User,
  type UserWithTicket,
} from './users.ts';
export type { Rendering, Variant, VariantSchedule } from './variants.ts';
