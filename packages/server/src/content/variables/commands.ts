// The environment variables of a content item: encrypted, and never returned.
import { hash } from 'node:crypto';
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../../audit/record.ts';
import type { Executor, Storage } from '../../platform/database/storage.ts';
import { escapeControls } from '../../platform/escape-controls.ts';
import { variableContext } from '../../platform/secrets/sealed-contexts.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { loadContent } from '../commands.ts';
import type { ContentRow } from '../store.ts';
import { whyNoVariable } from './names.ts';
import { type EnvironmentRow, listVariableNames, listVariables, setVariable } from './store.ts';

export interface Parts {
  readonly storage: Storage;
  readonly audit: Audit;
  readonly secrets: Secrets;
  readonly contentChanged: (guid: string) => void;
}

interface VariableChange {
  readonly name: string;
  readonly value: string | null;
}

/** Sets and removes variables; returns the remaining names. @throws ApiError 106, 108 */
export function setVariables(
  parts: Parts,
  caller: Caller,
  guid: string,
  changes: readonly VariableChange[],
): Promise<string[]> {
  return changeVariables(parts, caller, guid, async () => changes);
}

/** Sets variables and removes all others. @throws ApiError 106, 108 */
export function replaceVariables(
  parts: Parts,
  caller: Caller,
  guid: string,
  wanted: readonly VariableChange[],
): Promise<string[]> {
  return changeVariables(parts, caller, guid, async (tx) => {
    const named = new Set(wanted.map(({ name }) => name));
    const others = (await listVariableNames(tx, guid)).filter((name) => !named.has(name));
    return [...wanted, ...others.map((name) => ({ name, value: null }))];
  });
}

/** Sets given values, keeps null ones, removes all others. @throws ApiError 106 for another version, 108 */
export function keepOrReplaceVariables(
  parts: Parts,
  caller: Caller,
  guid: string,
  { values, version }: { values: Record<string, string | null>; version?: number | null },
): Promise<string[]> {
  return changeVariables(parts, caller, guid, async (tx) => {
    const rows = await listVariables(tx, guid);
    if ((version ?? variablesVersion(rows)) !== variablesVersion(rows)) throw errors.environmentConflict();
    const wanted = Object.entries(values).filter(([, value]) => value !== null);
    const removed = rows.filter(({ name }) => !Object.hasOwn(values, name));
    return [
      ...wanted.map(([name, value]) => ({ name, value })),
      ...removed.map(({ name }) => ({ name, value: null })),
    ];
  });
}

async function changeVariables(
  parts: Parts,
  caller: Caller,
  guid: string,
  changesOf: (tx: Executor) => Promise<readonly VariableChange[]>,
): Promise<string[]> {
  const names = await parts.storage.write(async (tx) => {
    const { content } = await loadContent(tx, guid, caller, 'manageEnvironment');
    return writeVariables(parts, tx, caller, content, await changesOf(tx));
  });
  // A process that failed without a variable may start now.
  parts.contentChanged(guid);
  return names;
}

/** Changes whenever a variable is set or removed; 0 without variables. */
export function variablesVersion(rows: readonly EnvironmentRow[]): number {
  if (rows.length === 0) return 0;
  const text = rows
    .map(({ name, value }) => JSON.stringify([name, value]))
    .toSorted()
    .join();
  return Number.parseInt(hash('sha256', text).slice(0, 7), 16) + 1;
}

async function writeVariables(
  { audit, secrets }: Pick<Parts, 'audit' | 'secrets'>,
  tx: Executor,
  caller: Caller,
  content: ContentRow,
  changes: readonly VariableChange[],
): Promise<string[]> {
  const names = new Set(changes.map((change) => change.name));
  if (names.size < changes.length)
    throw errors.environmentConflict({ message: 'a variable is changed twice' });
  // Variables set before this rule existed can still be removed.
  for (const { name, value } of changes) {
    const why = value === null ? null : whyNoVariable(name);
    if (why !== null)
      throw errors.variableProhibited({ message: `the variable ${escapeControls(name)} ${why}` });
    const sealed = value === null ? null : secrets.encrypt(value, variableContext(content.guid, name));
    await setVariable(tx, content.guid, name, sealed);
  }
  const changed = [...names].map(escapeControls).join(', ');
  await audit(
    tx,
    caller,
    'edit_application',
    `Changed variables ${changed} of ${content.name} (${content.guid})`,
    { content: content.guid },
  );
  return listVariableNames(tx, content.guid);
}
