// Who may view and edit a content item, as far as the invoker may know.
import { type ContentItem, RefusedError } from '@pressroom/api/client';
import type { Permission } from '@pressroom/api/contract';
import { fullName } from '../../blocks/names.ts';
import type { Run } from '../command.ts';
import { type AsInvoker, nameOf, userOf } from '../shared/find-content.ts';
import { whoTexts } from './texts.ts';

/** Maximum people and groups whose names are looked up. */
const PEOPLE = 50;

export interface Access {
  /** Null if the invoker may not see who it is. */
  readonly owner: string | null;
  readonly people: readonly { readonly name: string; readonly mayEdit: boolean }[];
  /** Number of people and groups not looked up. */
  readonly more: number;
  /** False if the invoker may not read the list. */
  readonly complete: boolean;
}

export async function accessTo(run: AsInvoker & Pick<Run, 'texts'>, content: ContentItem): Promise<Access> {
  const { client, signal } = run;
  const [owner, permissions] = await Promise.all([
    nameOf(run, content.owner_guid),
    client.getPermissions({ guid: content.guid }, { signal }).catch((error: unknown) => {
      if (error instanceof RefusedError && error.status !== 401) return null;
      throw error;
    }),
  ]);
  const all = permissions ?? [];
  const people = await Promise.all(all.slice(0, PEOPLE).map((item) => principal(run, item)));
  return { owner, people, more: all.length - people.length, complete: permissions !== null };
}

async function principal(
  run: AsInvoker & Pick<Run, 'texts'>,
  { principal_guid: guid, principal_type, role }: Permission,
) {
  const mayEdit = role === 'owner';
  if (principal_type === 'group') {
    const group = await run.client.getGroup({ guid }, { signal: run.signal }).catch(() => null);
    return { name: group === null ? guid : whoTexts(run.texts).group(group.name), mayEdit };
  }
  const user = await userOf(run, guid);
  if (user === null) return { name: guid, mayEdit };
  // A collaborator who lost the publisher role may still view.
  return { name: fullName(user), mayEdit: mayEdit && user.user_role !== 'viewer' };
}
