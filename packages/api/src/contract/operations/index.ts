// The whole contract: every operation by its id. Routes, client, OpenAPI and contract tests start here.
import * as accounts from './accounts.ts';
import * as applications from './applications.ts';
import * as audit from './audit.ts';
import * as bundles from './bundles.ts';
import * as content from './content.ts';
import * as deviceSignIn from './device-sign-in.ts';
import type { Endpoint } from '../endpoint.ts';
import * as groups from './groups.ts';
import * as instrumentation from './instrumentation.ts';
import * as permissions from './permissions.ts';
import * as runs from './runs.ts';
import * as serverSettings from './server-settings.ts';
import * as tasks from './tasks.ts';
import * as users from './users.ts';

const modules = {
  ...accounts,
  ...applications,
  ...audit,
  ...bundles,
  ...content,
  ...deviceSignIn,
  ...groups,
  ...instrumentation,
  ...permissions,
  ...runs,
  ...serverSettings,
  ...tasks,
  ...users,
};

type Modules = typeof modules;
/** Every operation under its operationId. */
export type Operations = {
  [K in keyof Modules as Modules[K] extends Endpoint ? K : never]: Modules[K];
};
export type OperationId = keyof Operations;

/** Every operation by its id, in the order of the ids, whoever loads the modules. */
export const operations = Object.fromEntries(
  Object.entries(modules)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .filter(([, value]) => typeof value === 'object' && value !== null && 'operationId' in value),
) as unknown as Operations;

export * from './accounts.ts';
export * from './applications.ts';
export * from './audit.ts';
export * from './bundles.ts';
export * from './content.ts';
export * from './device-sign-in.ts';
export * from './groups.ts';
export * from './instrumentation.ts';
export * from './permissions.ts';
export * from './runs.ts';
export * from './server-settings.ts';
export * from './tasks.ts';
export * from './users.ts';
