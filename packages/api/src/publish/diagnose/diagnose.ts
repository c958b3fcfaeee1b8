// Finds the actual cause of a failure in output of a deploy, a rendering or a process.
import { wording, write } from '../../client/failure-texts.ts';
import { diagnoseInstall } from './diagnose-install.ts';
import { diagnoseNode } from './diagnose-node.ts';
import { diagnosePython } from './diagnose-python.ts';
import { diagnoseR } from './diagnose-r.ts';
import { diagnoseTex } from './diagnose-tex.ts';
import { versionHint } from './diagnose-versions.ts';
import { plainLine, type Diagnosis, type DiagnosisKind, type Finding, type Lines } from './diagnosis.ts';
import { HINT_TEXTS } from './hint-texts.ts';
import { missingVariable } from './missing-variable.ts';

/**
 * The first actual cause in a log: R and Python errors with file and line, missing packages, failed installations,
 * processes that ran out of memory or time. Pure.
 * @param lines in order, as printed; terminal colours are ignored.
 * @returns null if nothing looks like a cause.
 */
export function diagnose(lines: readonly string[]): Diagnosis | null {
  const plain = lines.map(plainLine);
  const found = [diagnoseInstall, diagnosePython, diagnoseProcess, diagnoseNode, diagnoseR, diagnoseTex]
    .map((find) => find(plain))
    .filter((finding) => finding !== null);
  const first = found.toSorted((a, b) => a.index - b.index)[0];
  const cause = first ?? lastResort(plain);
  const remedy = cause?.wording ?? (cause && missingVariable(plain, cause)) ?? versionHint(plain);
  return cause && { ...cause, ...(remedy && { hint: write(remedy), wording: remedy }) };
}

/** Messages of this server or the system about a killed process. */
const PROCESS: [RegExp, DiagnosisKind, string][] = [
  [/ran out of memory|cannot allocate (vector|memory)|\bout of memory\b/i, 'memory', HINT_TEXTS.memory],
  [/did not listen on its port within \d+/, 'timeout', HINT_TEXTS.port],
  [/did not (start|finish|answer) within \d+|timed? ?out after \d+/i, 'timeout', HINT_TEXTS.timeout],
  [/does not start: ended with code 0$/, 'start', HINT_TEXTS.ended],
  [/^Error: the kernel of the notebook died$/, 'killed', HINT_TEXTS.crashed],
  [/^(?=.*\b(process|it|render\w*|deploy)\b).*was killed by SIG\w+/i, 'killed', HINT_TEXTS.killed],
];

/** Of launch_python.py, about an application that may never end to load. */
const OWN_SERVER = /^While it is loaded, this application listens on port \d+\./;

function diagnoseProcess(lines: Lines): Finding | null {
  for (const [index, line] of lines.entries()) {
    const rule = PROCESS.find(([pattern]) => pattern.test(line));
    if (!rule) continue;
    const [, kind, hint] = rule;
    const hasOwnServer =
      kind === 'timeout' && lines.slice(0, index).some((before) => OWN_SERVER.test(before));
    return { line: line.trim(), index, kind, wording: wording(hasOwnServer ? HINT_TEXTS.ownServer : hint) };
  }
  return null;
}

const WARNING = /^\s*(\[?warn(ing)?\b|note:)/i;
/** From most to least specific. */
const LOOKS_LIKE_CAUSE = [
  /^\s*(error\b|fatal\b|exception\b|panic\b)|\berror:/i,
  /\b[A-Z]\w*(Error|Exception)\b/,
  /\bcannot\b|\bcould not\b|\bfailed\b|\bnot found\b|\bno such file\b/i,
  /^\s*(traceback\b|execution halted)/i,
];

function lastResort(lines: Lines): Finding | null {
  for (const pattern of LOOKS_LIKE_CAUSE) {
    const index = lines.findIndex((line) => pattern.test(line) && !WARNING.test(line));
    if (index >= 0) return { line: lines[index]!.trim(), index, kind: 'other' };
  }
  return null;
}
