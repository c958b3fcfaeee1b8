// Reads places out of Python's tracebacks, those of notebooks among them, and out of what pip prints.
import type { Place } from './problem.ts';

const FRAME = /^\s*File "([^"]+)", line (\d+)/;
const RAISED =
  /^([A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit|Interrupt|Iteration|Found|Timeout))(?::\s*(.*))?$/;
const REQUIREMENT =
  /(?:No matching distribution found for|Could not find a version that satisfies the requirement)\s+([A-Za-z0-9][\w.-]*)/;
const RULE = /^\s*-{10,}\s*$/;
const ARROW = /^\s*-+>\s*(\d+)/;

/** Every frame of a traceback, the innermost first, with what was raised. */
export function pythonPlaces(lines: readonly string[]): Place[] {
  const places: Place[] = [];
  let frames: { path: string; line: number }[] = [];
  for (const line of lines) {
    const frame = FRAME.exec(line);
    if (frame !== null) frames.push({ path: frame[1] ?? '', line: Number(frame[2]) });
    const raised = RAISED.exec(line.trim());
    if (raised === null || frames.length === 0) continue;
    const message = raised[2] ? `${raised[1]}: ${raised[2]}` : (raised[1] ?? '');
    places.push(...frames.toReversed().map((at) => ({ ...at, message })));
    frames = [];
  }
  return places;
}

/** The packages of requirements.txt that could not be had. */
export function missingRequirements(lines: readonly string[]): { name: string; message: string }[] {
  const found = new Map<string, string>();
  for (const line of lines) {
    const name = REQUIREMENT.exec(line)?.[1];
    if (name !== undefined && !found.has(name)) found.set(name, line.replace(/^\s*ERROR:\s*/, '').trim());
  }
  return [...found].map(([name, message]) => ({ name, message }));
}

/** The cell of a notebook that failed: its source as the log shows it, the line in it, and what was raised. */
export function failedCell(
  lines: readonly string[],
): { source: string; line: number; message: string } | undefined {
  const at = lines.findIndex((line) => line.includes('executing the following cell'));
  const begin = lines.findIndex((line, index) => index > at && RULE.test(line));
  const end = lines.findIndex((line, index) => index > begin && RULE.test(line));
  if (at === -1 || begin === -1 || end === -1) return undefined;
  const rest = lines.slice(end + 1);
  const arrow = rest.map((line) => ARROW.exec(line)).find((match) => match !== null);
  const frame = rest
    .map((line) => /^\s*(?:Cell |Input )?In ?\[\d+\],? line (\d+)/.exec(line))
    .find((m) => m !== null);
  const raised = rest.findLast((line) => RAISED.test(line.trim()));
  return {
    source: lines.slice(begin + 1, end).join('\n'),
    line: Number(frame?.[1] ?? arrow?.[1] ?? 1),
    message: raised?.trim() ?? 'The cell failed.',
  };
}
