// What `help` shows: the list of commands, one command, and what is wrong with a line.
import { actions, button, context, header, section, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { inline, line } from '../../blocks/text.ts';
import type { CommandTable } from '../command.ts';
import type { Problem } from '../line/parse.ts';
import type { Syntax } from '../line/syntax.ts';

/** @param name as Slack knows it, such as `/pressroom`. */
export function helpList(name: string, commands: CommandTable): Message {
  const rows = Object.values(commands).map(
    ({ syntax: { usage, summary } }) => `\`${name} ${escapeUsage(usage)}\`\n${summary}`,
  );
  return fit({
    text: `Commands of ${name}`,
    blocks: [
      header('Commands'),
      section(rows.slice(0, 8).join('\n')),
      section(rows.slice(8).join('\n')),
      context('For content, type its name, part of its title or its GUID, or paste its address.'),
    ],
  });
}

export function helpFor(name: string, { usage, summary, examples, options }: Syntax): Message {
  const optionLines = Object.entries(options).map(
    ([key, option]) =>
      `\`--${key}\`  ${option.about}${'default' in option ? ` (default ${option.default})` : ''}`,
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

export function problemMessage(name: string, { problem, command, suggestions }: Problem): Message {
  const buttons = suggestions.map((text, i) => button(`run:${i}`, line(text, 75), text));
  return fit({
    text: inline(problem, 300),
    blocks: [
      section(inline(problem, 300)),
      ...(suggestions.length > 0 ? [context('Did you mean:')] : []),
      ...(buttons.length === 0 ? [] : [actions(...buttons)]),
      context(`For help, type \`${name} help${command === null ? '' : ` ${command}`}\`.`),
    ],
  });
}

function escapeUsage(usage: string): string {
  return usage.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
