// Messages of `logs`.
import type { Client } from '@pressroom/api/client';
import type { TaskEndReason } from '@pressroom/api/contract';
import { diagnose, type Diagnosis } from '@pressroom/api/publish';
import { actions, button, context, section, shareButton, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { codeBlock, inline, line } from '../../blocks/text.ts';
import type { Texts } from '../../texts/en.ts';
import { remedy } from '../../texts/explain.ts';
import { logsTexts } from './texts.ts';

export interface Log {
  readonly title: string;
  readonly task: string;
  readonly finished: boolean;
  readonly code: number;
  readonly end_reason: TaskEndReason | null;
  readonly lines: readonly string[];
  readonly diagnosis: Diagnosis | null;
}

/** The output of work that was stopped does not explain why it ended. */
export function logOf(title: string, task: Awaited<ReturnType<Client['getTask']>>): Log {
  const { id, finished, code, output, end_reason = null } = task;
  const isExplained = finished && code !== 0 && end_reason === null;
  const diagnosis = isExplained ? diagnose(output) : null;
  return { title, task: id, finished, code, end_reason, lines: output, diagnosis };
}

export function logsMessage(
  { title, task, finished, code, end_reason, lines, diagnosis }: Log,
  share: string,
  texts: Texts,
): Message {
  const { buttons, words } = texts;
  const logs = logsTexts(texts);
  const failed = end_reason === null ? logs.failed(code) : logs[end_reason];
  const state = !finished ? logs.running : code === 0 ? logs.succeeded : failed;
  const cause = code !== 0 ? diagnosis : null;
  const hint = remedy(cause, texts.code);
  return fit({
    text: logs.text(inline(task), state),
    blocks: [
      section(logs.headline(inline(title), inline(task), state, lines.length)),
      ...(cause ? [section(`*${words.cause}* ${codeBlock([cause.line], 1500)}`)] : []),
      ...(hint === '' ? [] : [context(`:bulb: ${inline(hint, 400)}`)]),
      section(codeBlock(lines.slice(-60), 2900)),
      actions(
        ...(finished ? [] : [button('run:follow', buttons.follow, `logs ${line(task, 64)} --follow`)]),
        button('logs:file', buttons.fullLog, line(task, 64)),
        shareButton(share, texts),
      ),
    ],
  });
}
