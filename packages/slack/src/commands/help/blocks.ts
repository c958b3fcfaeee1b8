// Help: the list of commands, one command, and what was wrong with a line.
import type { Problem } from '../line/parse.ts';
import { COMMAND_NAMES, shapeOf, type CommandName } from '../table.ts';
import { actions, button, context, header, section, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { inline, line } from '../../blocks/text.ts';

/** @param name as Slack knows it, such as `/pressroom`. */
export function helpList(name: string): Message {
  const rows = COMMAND_NAMES.map((command) => {
    const { usage, summary } = shapeOf(command);
    return `\`${name} ${escapeUsage(usage)}\`\n${summary}`;
  });
  return fit({
    text: `What ${name} understands`,
    blocks: [
      header('What I understand'),
      section(rows.slice(0, 8).join('\n')),
      section(rows.slice(8).join('\n')),
      context('A content item is a name, a piece of its title, its GUID, or an address pasted here.'),
    ],
  });
}

export function helpFor(name: string, command: CommandName): Message {
  const { usage, summary, examples, options } = shapeOf(command);
  const optionLines = Object.entries(options).map(
    ([key, option]) =>
      `\`--${key}\`  ${option.about}${'standard' in option ? ` (${option.standard} if not given)` : ''}`,
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
      ...(suggestions.length > 0 ? [context('Did you mean')] : []),
      ...(buttons.length === 0 ? [] : [actions(...buttons)]),
      context(`\`${name} help${command === null ? '' : ` ${command}`}\` says more.`),
    ],
  });
}

function escapeUsage(usage: string): string {
  return usage.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
