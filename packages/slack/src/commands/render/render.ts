// `render`: renders a report again, or with other parameter values, and says where to open it.
import { findVariant, ParameterValueError, readParameterValues } from '@pressroom/api/publish';
import { titleOf } from '../../blocks/names.ts';
import { note } from '../../blocks/notes.ts';
import { inline, link } from '../../blocks/text.ts';
import type { Command, Run } from '../command.ts';
import { textOption } from '../line/parsed-command.ts';
import { resolveContent } from '../shared/find-content.ts';
import { renderTexts } from './texts.ts';

export const render: Command = {
  texts: renderTexts,
  syntax: {
    usage: 'render <content> [name=value…] [--variant name]',
    examples: ['render sales region=North', 'render sales --variant North'],
    subject: 'required',
    options: { variant: { type: 'text' } },
    takesValues: true,
  },
  account: 'own',
  async run(run) {
    const found = await resolveContent(run);
    if ('message' in found) return found.message;
    const { texts } = run;
    const { guid } = found.content;
    const values = readValues(run.command.filters);
    if (typeof values === 'string') return note(renderTexts(texts).notAValue(inline(values)));
    const started = await start(run, guid, values);
    if (started === null)
      return note(renderTexts(texts).noVariant(inline(textOption(run.command, 'variant') ?? '')));
    const { task, url } = started;
    const page = url === null ? null : link(url, url, 300);
    return note(renderTexts(texts).started(inline(titleOf(found.content)), inline(task), page));
  },
};

/** Returns the invalid word, if any, as text. */
function readValues(words: readonly string[]): Record<string, string | string[]> | string {
  try {
    return readParameterValues(words);
  } catch (error) {
    if (error instanceof ParameterValueError) return error.word;
    throw error;
  }
}

/** Null if there is no variant of that name. The server validates values and rights. */
async function start(
  { client, command, signal }: Run,
  guid: string,
  values: Readonly<Record<string, string | string[]>>,
): Promise<{ task: string; url: string | null } | null> {
  const name = textOption(command, 'variant');
  const hasValues = Object.keys(values).length > 0;
  if (name === null && !hasValues) {
    const { task_id } = await client.renderContent({ guid }, { signal });
    return { task: task_id, url: null };
  }
  if (name === null) {
    const made = await client.createContentVariant({ guid, ad_hoc: true, values }, { signal });
    return { task: made.task_id ?? '', url: made.url };
  }
  const all = await client.getContentVariants({ guid }, { signal });
  const known = findVariant(all, name);
  if (known === undefined) return null;
  const at = { guid, key: known.key };
  if (!hasValues) {
    const { task_id } = await client.renderContentVariant(at, { signal });
    return { task: task_id, url: known.url };
  }
  const body = { ...at, values: { ...known.values, ...values } };
  const changed = await client.updateContentVariant(body, { signal });
  return { task: changed.task_id ?? '', url: changed.url };
}
