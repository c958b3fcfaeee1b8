// Finds people and groups named in forms.
import { type ApiError, errors } from '@pressroom/api/contract';
import { listingScope, seesEmail } from '../../people/policy.ts';
import { findUsersByEmail, type UserRow } from '../../people/store.ts';
import type { Caller } from '../../sign-in/authenticator.ts';
import { html, type Html } from '../html.ts';
import { orNull, type PageRequest } from '../page.ts';

const MAX_SUGGESTED = 500;

/** Suggestions for a text field: one page of the list. */
export async function principals({ call }: PageRequest): Promise<Html[]> {
  const users = await orNull(call('getUsers', { query: { page_size: MAX_SUGGESTED } }));
  const groups = await orNull(call('getGroups', { query: { page_size: MAX_SUGGESTED } }));
  const people = (users?.results ?? []).map(({ username, first_name, last_name, email }) => {
    const label = [`${first_name} ${last_name}`.trim(), email].filter(Boolean).join(', ');
    return html`<option value="${username}">${label}</option>`;
  });
  return [
    ...people,
    ...(groups?.results ?? []).map(({ name }) => html`<option value="${name}">Group</option>`),
  ];
}

/** Names in a text, separated by commas, semicolons or line ends. */
export function namesIn(text: string): string[] {
  return text
    .split(/[,;\r\n]+/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** By exact username, email or full name. */
export async function findPerson({ call, caller, parts }: PageRequest, wanted: string) {
  // Accounts may be without a name, and spaces are no name of theirs.
  if (wanted === '') return undefined;
  const same = (name: string) => name.toLowerCase() === wanted.toLowerCase();
  // The list searches by prefix.
  const prefix = wanted.split(/\s/, 1)[0] ?? '';
  const { results } = await call('getUsers', { query: { prefix, page_size: MAX_SUGGESTED } });
  return (
    results.find(({ username }) => same(username)) ??
    onlyOne([
      ...(await findByEmail(parts, caller, wanted)),
      ...results.filter((person) => same(`${person.first_name} ${person.last_name}`.trim())),
    ])
  );
}

/** Among those whom the caller sees in lists, with their addresses. */
async function findByEmail({ config, storage }: PageRequest['parts'], caller: Caller, email: string) {
  if (!email.includes('@') || !seesEmail(config, caller)) return [];
  const { only } = listingScope(config, caller);
  const found = await findUsersByEmail(storage.db, email);
  // An address that somebody gave their own account may be that of the person meant.
  const isTheirs = ({ confirmed, active_time }: UserRow) => confirmed === 1 || active_time === null;
  return found.filter((user) => isTheirs(user) && (only === undefined || user.guid === only));
}

/** A person, else a group by exact name. @throws ApiError 9 */
export async function findPrincipal(request: PageRequest, wanted: string) {
  const user = await findPerson(request, wanted);
  if (user) return { name: user.username, principal_guid: user.guid, principal_type: 'user' } as const;
  const query = { prefix: wanted, page_size: MAX_SUGGESTED };
  const groups = await orNull(request.call('getGroups', { query }));
  const group = groups?.results.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (group) return { name: group.name, principal_guid: group.guid, principal_type: 'group' } as const;
  throw nobodyCalled(wanted, 'user or group');
}

/** @param what was looked for */
export function nobodyCalled(wanted: string, what: string): ApiError {
  const message =
    wanted === '' ? `Enter the name of a ${what}.` : `No ${what} is called ${wanted}, or several are.`;
  return errors.userNotFound({ message });
}

/** Ambiguous names match nobody. */
function onlyOne<T extends { readonly guid: string }>(people: readonly T[]): T | undefined {
  return new Set(people.map(({ guid }) => guid)).size === 1 ? people[0] : undefined;
}
