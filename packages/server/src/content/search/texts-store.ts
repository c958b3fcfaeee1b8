// The texts of content in lower case, which the databases do not do alike for all languages: the server writes them.
import type { Executor, Storage } from '../../platform/database/storage.ts';

/** Items that are written in one turn. */
const AT_ONCE = 500;

/** Writes the texts of these items. In the transaction that changed them, or in a turn that waits for all writers. */
export async function writeTexts(tx: Executor, guids: readonly string[]): Promise<void> {
  const rows = await tx
    .selectFrom('content')
    .select(['guid', 'name', 'title', 'description'])
    .where('guid', 'in', guids)
    .execute();
  if (rows.length === 0) return;
  const texts = rows.map(({ guid, name, title, description }) => ({
    content_guid: guid,
    lowercase: [name, title ?? '', description].join('\n').toLowerCase(),
  }));
  await tx
    .insertInto('content_text')
    .values(texts)
    .onConflict((on) =>
      on.column('content_guid').doUpdateSet({ lowercase: (eb) => eb.ref('excluded.lowercase') }),
    )
    .execute();
}

/** Writes missing texts: of content that a server of an earlier version added or changed. */
export async function writeMissingTexts({ db, write }: Storage): Promise<void> {
  for (;;) {
    const missing = await db
      .selectFrom('content_text')
      .select('content_guid')
      .where('lowercase', 'is', null)
      .limit(AT_ONCE)
      .execute();
    if (missing.length === 0) return;
    const guids = missing.map(({ content_guid }) => content_guid);
    await write((tx) => writeTexts(tx, guids));
  }
}
