// What a command is made of: its syntax, whose account it runs with, and what it does.
import type { Client } from '@pressroom/api/client';
import type { Message } from '../blocks/blocks.ts';
import type { Asker, Reply } from '../deliver/reply.ts';
import type { Services } from '../services.ts';
import type { ParsedCommand } from './line/parsed-command.ts';
import type { Syntax } from './line/syntax.ts';
import type { BothLanguages } from '../texts/both-languages.ts';
import type { Texts } from '../texts/en.ts';

export type Command = CommandWithAccount | CommandWithoutAccount;
export type CommandTable = Readonly<Record<string, Command>>;

/** What every command says about itself. */
export interface CommandTexts {
  /** What it does, as a sentence without its full stop. */
  readonly summary: string;
  /** What each option of its syntax means. */
  readonly options: Readonly<Record<string, string>>;
}

interface CommandBase {
  readonly texts: BothLanguages<CommandTexts>;
  readonly syntax: Syntax;
  /** Milliseconds until the command is given up; 9 seconds by default. */
  readonly timeout?: number;
}

export interface CommandWithAccount extends CommandBase {
  /** `own`: only with the key of the asker, for whatever changes something; `any`: the guest key will do. */
  readonly account: 'own' | 'any';
  readonly run: Runner;
}

export interface CommandWithoutAccount extends CommandBase {
  readonly account: 'none';
  readonly run: (run: Omit<Run, 'client'>) => Promise<Message | null>;
}

/** Returns the message to show; null when it has shown everything itself. */
export type Runner = (run: Run) => Promise<Message | null>;

export interface Run {
  readonly services: Services;
  /** All commands, for help. */
  readonly commands: CommandTable;
  readonly command: ParsedCommand;
  readonly asker: Asker;
  /** Acts with the rights of the asker. */
  readonly client: Client;
  readonly reply: Reply;
  /** In the language of the asker; of the channel, where the answer is for it. */
  readonly texts: Texts;
  readonly signal: AbortSignal;
  /** The line that runs the same command again, for [Share to channel]. */
  readonly share: string;
  /** Where Slack takes the answer; null without one. */
  readonly responseUrl: string | null;
}
