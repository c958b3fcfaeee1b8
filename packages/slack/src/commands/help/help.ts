// `help`: lists the commands, or explains one.
import type { Command } from '../command.ts';
import { nearest } from '../line/nearest.ts';
import { helpFor, helpList, problemMessage } from './blocks.ts';

export const help: Command = {
  syntax: {
    usage: 'help [command]',
    summary: 'List the commands, or explain one',
    examples: ['help deploy'],
    subject: 'optional',
    options: {},
  },
  account: 'none',
  async run({ services, commands, command: { subject } }) {
    if (subject === '') return helpList(services.command, commands);
    const name = subject.toLowerCase();
    const syntax = Object.hasOwn(commands, name) ? commands[name]?.syntax : undefined;
    if (syntax) return helpFor(services.command, syntax);
    const suggestions = nearest(name, Object.keys(commands)).map((candidate) => `help ${candidate}`);
    return problemMessage(services.command, {
      problem: `Unknown command “${subject}”.`,
      command: null,
      suggestions,
    });
  },
};
