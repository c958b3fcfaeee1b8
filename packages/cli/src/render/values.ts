// Renders a document with other values: as a permanent variant, or temporarily for the caller.
import type { Client } from '@pressroom/api/client';
import type { ContentVariant } from '@pressroom/api/contract';
import { findVariant } from '@pressroom/api/publish';
import { commandHint } from '../arguments/command-hint.ts';
import type { CommandContext } from '../command.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import { confirm, show } from '../terminal/output.ts';
import { watchAndShow } from '../terminal/watch-and-show.ts';

export interface WantedVariant {
  /** Null for a temporary rendering. */
  readonly name: string | null;
  /** As text: the server converts it to the type of each parameter. */
  readonly values: Readonly<Record<string, string | string[]>>;
  readonly changes: {
    readonly visibility?: 'public';
    readonly schedule?: { readonly cron: string; readonly timezone?: string } | null;
  };
}

/** Returns the exit code. */
export async function renderValues(
  context: CommandContext,
  client: Client,
  guid: string,
  { name, values, changes }: WantedVariant,
): Promise<number> {
  const { signal } = context;
  if (name === null) {
    const made = await client.createContentVariant({ guid, ad_hoc: true, values }, { signal });
    return follow(context, client, made, made.task_id);
  }
  const all = await client.getContentVariants({ guid }, { signal });
  const known = findVariant(all, name);
  if (known === undefined) {
    const made = await client.createContentVariant({ guid, name, values, ...changes }, { signal });
    return follow(context, client, made, made.task_id);
  }
  const at = { guid, key: known.key };
  const hasValues = Object.keys(values).length > 0;
  if (!hasValues && Object.keys(changes).length > 0) {
    const changed = await client.updateContentVariant({ ...at, ...changes }, { signal });
    const next = changed.schedule
      ? `Next rendering: ${changed.schedule.next_time ?? 'none'}`
      : 'Variant changed.';
    return confirm(context, changed, next);
  }
  if (hasValues) {
    const body = { ...at, ...changes, values: { ...known.values, ...values } };
    const changed = await client.updateContentVariant(body, { signal });
    return follow(context, client, changed, changed.task_id);
  }
  const { task_id } = await client.renderContentVariant(at, { signal });
  return follow(context, client, known, task_id);
}

/** Decision on a held rendering. */
export interface HeldDecision {
  readonly variant: string;
  readonly isAccepted: boolean;
  /** Of the rendering that was looked at; without it, whichever is held. */
  readonly task?: string;
}

/** Returns the exit code. @throws UsageError if nothing is held */
export async function decideHeld(
  context: CommandContext,
  client: Client,
  guid: string,
  { variant: name, isAccepted, task }: HeldDecision,
): Promise<number> {
  const { signal } = context;
  const variant = findVariant(await client.getContentVariants({ guid }, { signal }), name);
  if (!variant)
    throw new UsageError(
      `The content has no variant ${name}.`,
      `To list them, run: ${commandHint(context, 'render --list', 'argument')}`,
    );
  if (!variant.held) throw new UsageError(`No rendering of variant ${name} is held.`);
  const at = { guid, key: variant.key, task_id: task ?? variant.held.task_id };
  if (isAccepted)
    return confirm(
      context,
      await client.acceptHeldRendering(at, { signal }),
      `Variant ${name} shows the rendering that was held.`,
    );
  await client.deleteHeldRendering(at, { signal });
  return confirm(context, { discarded: variant.key }, 'The rendering that was held is discarded.');
}

/** Shows the output, and the address of the rendering; as JSON the variant comes first. */
async function follow(
  context: CommandContext,
  client: Client,
  variant: ContentVariant,
  task: string | null,
): Promise<number> {
  const { url, expires_time } = variant;
  if (context.json) context.terminal.printJson({ type: 'variant', ...variant, task_id: task });
  const code = task === null ? EXIT.ok : await watchAndShow(context, client, task);
  if (code !== EXIT.ok || context.json) return code;
  const until = expires_time === null ? '' : `, until ${expires_time}`;
  context.terminal.note(`Open it at ${url}${until}`);
  return code;
}

/** Lists the variants, with their values. */
export async function listVariants(context: CommandContext, client: Client, guid: string): Promise<number> {
  const all = await client.getContentVariants({ guid }, { signal: context.signal });
  return show(context, all, (variants) => [
    ['KEY', 'NAME', 'VALUES', 'RENDERED', 'VISIBLE', 'SCHEDULE', ''],
    ...variants.map((one) => [
      one.key,
      one.name || '(own values)',
      Object.entries(one.values)
        .map(([name, value]) => `${name}=${String(value)}`)
        .join(' '),
      one.rendered_time ?? 'not rendered',
      one.visibility,
      one.schedule ? `${one.schedule.cron} (${one.schedule.timezone})` : '',
      one.held ? `held by task ${one.held.task_id}: ${one.held.url}` : '',
    ]),
  ]);
}
