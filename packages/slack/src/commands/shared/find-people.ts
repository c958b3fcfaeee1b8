// Finds accounts by username, email address or mention, as the invoker may see them.
import type { User } from '@pressroom/api/contract';
import { slackFailure } from '../../deliver/transport/slack-failure.ts';
import type { Run } from '../command.ts';
import { mentionedUser } from '../line/words.ts';

/** Maximum people that are searched: the largest page. A search by prefix has no second one (contract, 4.8). */
const PEOPLE = 500;
const WORD = /[^\s()]+/g;

export interface FoundPeople {
  /** Name the person to the invoker. */
  readonly words: string;
  readonly found: readonly User[];
  /** More than were found if so many match that the server lists only some of them. */
  readonly total: number;
}

/** Null if Slack does not share the address of who is mentioned. */
export async function findPeople(run: Run, words: string): Promise<FoundPeople | null> {
  const { invoker, services, client, signal } = run;
  const mentioned = mentionedUser(words);
  if (mentioned === null) return { words, ...(await search(run, words)) };
  const link = await services.store.findLink(invoker.team, mentioned);
  if (link)
    return { words: link.username, ...all([await client.getUser({ guid: link.server_user }, { signal })]) };
  const person = await services.slack.user(invoker.team, mentioned).catch((error: unknown) => {
    // Of another workspace, or gone.
    if (slackFailure(error).kind === 'refused') return null;
    throw error;
  });
  if (person === null || person.email === null) return null;
  const { name, email } = person;
  // People may choose usernames that are the address of somebody else.
  return { words: name, ...all(await findByEmail(run, email)) };
}

/** Accounts that are reached at an address, as far as the client sees them. */
export async function findByEmail(run: Pick<Run, 'client' | 'signal'>, email: string): Promise<User[]> {
  const { found } = await search(run, email);
  return found.filter((one) => isReachedAt(one, email.toLowerCase()));
}

function all(found: readonly User[]): Omit<FoundPeople, 'words'> {
  return { found, total: found.length };
}

/** A full username or address takes precedence over a prefix. */
async function search(
  { client, signal }: Pick<Run, 'client' | 'signal'>,
  words: string,
): Promise<Omit<FoundPeople, 'words'>> {
  const wanted = words.toLowerCase().replace(/^@/, '');
  if (/\s/.test(wanted)) return all(await searchFullName({ client, signal }, wanted));
  const prefix = wanted.includes('@') ? wanted.slice(0, wanted.indexOf('@')) : wanted;
  const { results: found, total } = await client.getUsers({ prefix, page_size: PEOPLE }, { signal });
  const exact = found.filter((person) => isSame(person.username, wanted) || isReachedAt(person, wanted));
  if (!wanted.includes('@')) return exact.length > 0 ? all(exact) : { found, total };
  if (exact.some((person) => isReachedAt(person, wanted))) return all(exact);
  // An address need not start like the name: reads all users, up to a limit.
  let seen = 0;
  for await (const person of client.each.getUsers({ page_size: 100 }, { signal })) {
    if (isReachedAt(person, wanted)) return all([person]);
    if ((seen += 1) >= PEOPLE) break;
  }
  // A username may contain `@`, too.
  return all(exact);
}

/** Not at an address that somebody gave their own account and has not confirmed: it may be another person's. */
function isReachedAt({ email, confirmed, active_time }: User, address: string): boolean {
  return isSame(email, address) && (confirmed !== false || active_time === null);
}

/** Some servers leave addresses out. */
function isSame(text: string | null | undefined, wanted: string): boolean {
  return text?.toLowerCase() === wanted;
}

/** Several words, in any order, as the bot shows people: "Ada Lovelace (ada)". The server searches one name at a time. */
async function searchFullName(
  { client, signal }: Pick<Run, 'client' | 'signal'>,
  wanted: string,
): Promise<User[]> {
  const words = wanted.match(WORD) ?? [];
  const prefix = words[0] ?? '';
  const { results } = await client.getUsers({ prefix, page_size: PEOPLE }, { signal });
  return results.filter(({ first_name, last_name, username }) => {
    const names = [first_name, last_name, username].filter(Boolean).join(' ').toLowerCase().match(WORD) ?? [];
    return words.every((word) => names.some((name) => name.startsWith(word)));
  });
}
