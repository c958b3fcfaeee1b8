// The stage that a line of output starts, on servers that do not report stages.
import type { TaskStageName } from '../../contract/index.ts';

const SIGNS: readonly (readonly [TaskStageName, RegExp])[] = [
  ['activate', /\bactivated\b|completed successfully/i],
  ['start', /\blaunching|listening on/i],
  ['render', /\brender|^processing file:|nbconvert/i],
  ['restore', /\brestor|\binstall|^bundle requested|^bundle created with/i],
  ['extract', /\bextract|\bunpack/i],
];

export function stageOfLine(line: string): TaskStageName | null {
  return SIGNS.find(([, sign]) => sign.test(line))?.[0] ?? null;
}
