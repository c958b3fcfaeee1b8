// References to content: a GUID, a pasted address, a name or part of a title.
import { isAt, nearest } from '@pressroom/api/client';
import { fold } from './words.ts';

export type Reference =
  | { readonly kind: 'guid'; readonly guid: string }
  | { readonly kind: 'words'; readonly words: string };

interface Item {
  readonly guid: string;
  readonly name: string;
  readonly title: string | null;
  readonly url: string;
  readonly vanity_url?: string | null;
}

export type Match<T extends Item> =
  | { readonly kind: 'one'; readonly item: T }
  | { readonly kind: 'several'; readonly items: readonly T[] }
  | { readonly kind: 'none'; readonly nearest: readonly string[] };

const GUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;
const TASK = /^[A-Za-z0-9]{16}$/;

/** Accepts a GUID anywhere in an address, such as `/content/{guid}/` and a dashboard's `#/apps/{guid}`. */
export function readReference(subject: string): Reference {
  const guid = guidIn(subject);
  return guid === null ? { kind: 'words', words: subject.trim() } : { kind: 'guid', guid };
}

export function isAddress(text: string): boolean {
  return /^https?:/i.test(text);
}

/** The first GUID in a text. */
export function guidIn(text: string): string | null {
  return GUID.exec(text)?.[0].toLowerCase() ?? null;
}

/** Whether the text looks like a task ID. A content name may, too: only the server can tell. */
export function mayBeTask(subject: string): boolean {
  return TASK.test(subject);
}

/** Matches the address, then the full name, the full title, then part of either, in any case. */
export function matchContent<T extends Item>(words: string, items: readonly T[]): Match<T> {
  const wanted = fold(words);
  const steps: ((item: T) => boolean)[] = [
    (item) => isAddress(words) && isAt(item, words),
    (item) => fold(item.name) === wanted,
    (item) => item.title !== null && fold(item.title) === wanted,
    (item) => fold(item.name).includes(wanted) || (item.title !== null && fold(item.title).includes(wanted)),
  ];
  for (const step of steps) {
    const found = wanted === '' ? [] : items.filter(step);
    const [first] = found;
    if (first !== undefined && found.length === 1) return { kind: 'one', item: first };
    if (first !== undefined) return { kind: 'several', items: found };
  }
  const names = items.flatMap((item) => [item.name, item.title].filter((name) => typeof name === 'string'));
  return { kind: 'none', nearest: nearest(words, names) };
}
