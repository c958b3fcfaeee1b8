// Detects programs with a start command: Node.js applications, and others.
import { parse } from 'smol-toml';
import { isObject } from '../../contract/is-object.ts';
import { parseJson } from '../manifest/json-position.ts';
import type { ContentCandidate, ContentView, Reason } from './content-candidate.ts';

/** As an example. */
export const COMMAND = './program --listen 127.0.0.1:$PORT';
const FILE = 'package.json';
/** Start scripts that serve, rather than build pages or watch files during development. */
const SERVES =
  /(^|[\s;&/])(node|tsx|next start|nuxt start|remix-serve|react-router-serve|fastify start|nest start)(\s|$)/;

/** A package whose start script serves. */
export function detectNode(view: ContentView): ContentCandidate[] {
  const read = parseJson(view.text(FILE));
  const scripts = read.ok && isObject(read.value) && read.value.scripts;
  const start = isObject(scripts) && scripts.start;
  if (typeof start !== 'string' || !SERVES.test(start)) return [];
  return [
    {
      ...nothing,
      appmode: 'nodejs',
      primary: FILE,
      entrypoint: FILE,
      confidence: view.names.has('index.html') ? 0.8 : 0.92,
      why: `${FILE} starts it with "${start}", so it is a Node.js application.`,
      reason: { code: 'start-script', args: [FILE, start] },
    },
  ];
}

const OWN = 'pressroom.toml';

/** Says that pressroom.toml is there, but starts nothing; null if it does, or is not there. */
export function unusedProgramFile(view: ContentView): string | null {
  if (!view.names.has(OWN) || commandIn(view.text(OWN)) !== undefined) return null;
  return `${OWN} is not used: it is not TOML with a command, such as command = "${COMMAND}".`;
}

/** A command in pressroom.toml, or the web process of a Procfile. */
export function detectProgram(view: ContentView): ContentCandidate[] {
  const own = commandIn(view.text(OWN));
  const web = webProcess(view.text('Procfile'));
  return [
    ...(own === undefined ? [] : [program(OWN, own, 0.99)]),
    // If the command starts a known framework, its code decides.
    ...(web === undefined ? [] : [program('Procfile', web, 0.6)]),
  ];
}

const nothing = { contentCategory: '', hasParameters: false };

function program(name: string, command: string, confidence: number): ContentCandidate {
  const why = `${name} says how it is started: ${command}.`;
  const reason: Reason = { code: 'command', args: [name, command] };
  return { ...nothing, appmode: 'program', primary: name, entrypoint: command, confidence, why, reason };
}

function webProcess(text: string): string | undefined {
  const line = text.split('\n').find((one) => one.startsWith('web:'));
  return line?.slice('web:'.length).trim() || undefined;
}

function commandIn(text: string): string | undefined {
  try {
    const { command } = parse(text);
    return typeof command === 'string' && command.trim() !== '' ? command.trim() : undefined;
  } catch {
    return undefined;
  }
}
