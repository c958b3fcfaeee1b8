// What `logs` shows.
import type { Diagnosis } from '@pressroom/api/publish';
import { actions, button, context, section, shareButton, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { codeBlock, count, inline, line } from '../../blocks/text.ts';

export interface Log {
  readonly title: string;
  readonly task: string;
  readonly finished: boolean;
  readonly code: number;
  readonly lines: readonly string[];
  readonly diagnosis: Diagnosis | null;
}

export function logsMessage({ title, task, finished, code, lines, diagnosis }: Log, share: string): Message {
  const state = !finished ? 'is still running' : code === 0 ? 'succeeded' : `failed with code ${code}`;
  const cause = code !== 0 ? diagnosis : null;
  return fit({
    text: `Task ${inline(task)} ${state}`,
    blocks: [
      section(`*${inline(title)}*: task ${inline(task)} ${state}, ${count(lines.length, 'line')}`),
      ...(cause ? [section(`*Cause* ${codeBlock([cause.line], 1500)}`)] : []),
      ...(cause?.hint ? [context(`:bulb: ${inline(cause.hint, 400)}`)] : []),
      section(codeBlock(lines.slice(-60), 2900)),
      actions(
        ...(finished ? [] : [button('run:follow', 'Follow in channel', `logs ${line(task, 64)} --follow`)]),
        button('logs:file', 'Get full log', line(task, 64)),
        shareButton(share),
      ),
    ],
  });
}
