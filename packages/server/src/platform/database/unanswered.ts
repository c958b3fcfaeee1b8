// Statements of a transaction whose result is not awaited.
import type { Compilable } from 'kysely';
import type { Executor } from './engine.ts';

/** Prefix of their text. */
const MARK = '/* unanswered */ ';

/**
 * Writes without awaiting the result, if the engine supports it. A failure still breaks the transaction: it surfaces at
 * the next statement, at the latest at the commit.
 */
export async function writeUnanswered(tx: Executor, query: Compilable): Promise<void> {
  const compiled = query.compile();
  await tx.executeQuery({ ...compiled, sql: MARK + compiled.sql });
}

/** The statement itself; null for one whose result is awaited. */
export function unansweredIn(text: string): string | null {
  return text.startsWith(MARK) ? text.slice(MARK.length) : null;
}
