// Statements of a transaction whose answer nobody needs.
import type { Compilable } from 'kysely';
import type { Executor } from './engine.ts';

/** Begins their text. */
const MARK = '/* unanswered */ ';

/**
 * Writes without waiting for the answer, where the engine can. What a failure does to the transaction it does all the
 * same: the next statement fails with it, at the latest the commit.
 */
export async function writeUnanswered(tx: Executor, query: Compilable): Promise<void> {
  const compiled = query.compile();
  await tx.executeQuery({ ...compiled, sql: MARK + compiled.sql });
}

/** The statement itself; null for one whose answer is needed. */
export function unansweredIn(text: string): string | null {
  return text.startsWith(MARK) ? text.slice(MARK.length) : null;
}
