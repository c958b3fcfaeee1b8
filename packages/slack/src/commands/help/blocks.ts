// Messages of `help`: the list of commands, one command, and errors in a line.
import { actions, button, context, header, section, type Message } from '../../blocks/blocks.ts';
import { fit, isButtonValue } from '../../blocks/fit.ts';
import { inline, line } from '../../blocks/text.ts';
import type { Texts } from '../../texts/en.ts';
import type { Command, CommandTable } from '../command.ts';
import type { Problem } from '../line/parse.ts';
import { helpTexts } from './texts.ts';

/** @param name of the slash command, such as `/pressroom`. */
export function helpList(name: string, commands: CommandTable, texts: Texts): Message {
  const rows = Object.values(commands).map(
    ({ syntax, texts: own }) => `\`${name} ${escapeUsage(syntax.usage)}\`\n${own(texts).summary}`,
  );
  return fit({
    text: helpTexts(texts).text(name),
    blocks: [
      header(helpTexts(texts).title),
      section(rows.slice(0, 8).join('\n')),
      section(rows.slice(8).join('\n')),
      context(helpTexts(texts).content),
    ],
  });
}

export function helpFor(
  name: string,
  { syntax: { usage, examples, options }, texts: own }: Command,
  texts: Texts,
): Message {
  const { summary, options: meanings } = own(texts);
  const optionLines = Object.entries(options).map(
    ([key, option]) =>
      `\`--${key}\`  ${meanings[key] ?? ''}${'default' in option ? helpTexts(texts).byDefault(option.default) : ''}`,
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
  texts: Texts,
): Message {
  const buttons = suggestions
    .filter(isButtonValue)
    .map((text, i) => button(`run:${i}`, line(text, 75), text));
  return fit({
    text: inline(problem, 300),
    blocks: [
      section(inline(problem, 300)),
      ...(buttons.length === 0 ? [] : [context(texts.words.didYouMean), actions(...buttons)]),
      context(helpTexts(texts).more(`${name} help${command === null ? '' : ` ${command}`}`)),
    ],
  });
}

function escapeUsage(usage: string): string {
  return usage.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
