// What `help` shows: the list of commands, one command, and what is wrong with a line.
import { actions, button, context, header, section, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { inline, line } from '../../blocks/text.ts';
import type { CommandTable } from '../command.ts';
import type { Problem } from '../line/parse.ts';
import type { Syntax } from '../line/syntax.ts';
import type { Texts } from '../../texts/en.ts';

/** @param name as Slack knows it, such as `/pressroom`. */
export function helpList(name: string, commands: CommandTable, texts: Texts): Message {
  const rows = Object.entries(commands).map(
    ([command, { syntax }]) =>
      `\`${name} ${escapeUsage(syntax.usage)}\`\n${helpTextOf(command, texts).summary}`,
  );
  return fit({
    text: texts.help.text(name),
    blocks: [
      header(texts.help.title),
      section(rows.slice(0, 8).join('\n')),
      section(rows.slice(8).join('\n')),
      context(texts.help.content),
    ],
  });
}

export function helpFor(
  name: string,
  command: string,
  { usage, examples, options }: Syntax,
  texts: Texts,
): Message {
  const { summary, options: abouts } = helpTextOf(command, texts);
  const optionLines = Object.entries(options).map(
    ([key, option]) =>
      `\`--${key}\`  ${abouts[key] ?? ''}${'default' in option ? texts.help.byDefault(option.default) : ''}`,
  );
  return fit({
    text: `${name} ${inline(usage)}`,
    blocks: [
      section(`\`${name} ${escapeUsage(usage)}\`\n${summary}.`),
      ...(optionLines.length > 0 ? [section(optionLines.join('\n'))] : []),
      context(examples.map((example) => `\`${name} ${example}\``).join('   ')),
    ],
  });
}

export function problemMessage(
  name: string,
  { problem, command, suggestions }: Problem,
  { words, help }: Texts,
): Message {
  const buttons = suggestions.map((text, i) => button(`run:${i}`, line(text, 75), text));
  return fit({
    text: inline(problem, 300),
    blocks: [
      section(inline(problem, 300)),
      ...(suggestions.length > 0 ? [context(words.didYouMean)] : []),
      ...(buttons.length === 0 ? [] : [actions(...buttons)]),
      context(help.more(`${name} help${command === null ? '' : ` ${command}`}`)),
    ],
  });
}

/** What a command does and what its options mean. */
function helpTextOf(
  command: string,
  { commands }: Texts,
): { readonly summary: string; readonly options: Readonly<Record<string, string>> } {
  const all: Readonly<Record<string, { summary: string; options: Readonly<Record<string, string>> }>> =
    commands;
  return (Object.hasOwn(all, command) ? all[command] : undefined) ?? { summary: '', options: {} };
}

function escapeUsage(usage: string): string {
  return usage.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
