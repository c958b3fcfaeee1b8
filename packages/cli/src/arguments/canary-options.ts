// Parses shares, lengths and limits of canaries on the command line.
import { MAX_CANARY_SECONDS, MAX_SHARE } from '@pressroom/api/contract';
import { stringOption, type CommandContext } from '../command.ts';
import { UsageError } from '../exit-codes.ts';

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** `10%` or `10`; undefined without the option. Throws UsageError. */
export function shareOption(context: CommandContext, name: string, least: 0 | 1): number | undefined {
  const text = stringOption(context, name);
  if (text === undefined) return undefined;
  const share = /^\d{1,3}%?$/.test(text) ? Number.parseInt(text, 10) : -1;
  if (share < least || share > MAX_SHARE)
    throw new UsageError(`--${name} must be from ${least}% to ${MAX_SHARE}%.`);
  return share;
}

/** Seconds of `90s`, `30m`, `2h` or `1d`; undefined without the option. Throws UsageError. */
export function lengthOption(context: CommandContext, name: string): number | undefined {
  const text = stringOption(context, name);
  if (text === undefined) return undefined;
  const [, count = '', unit = 's'] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * SECONDS[unit as keyof typeof SECONDS];
  if (count === '' || seconds < 60 || seconds > MAX_CANARY_SECONDS)
    throw new UsageError(`--${name} must be from 60s to 7d, such as 30m or 2h.`);
  return seconds;
}

/** A whole percentage up to `most`; undefined without the option. Throws UsageError. */
export function percentOption(context: CommandContext, name: string, most: number): number | undefined {
  const text = stringOption(context, name);
  if (text === undefined) return undefined;
  const percent = /^\d{1,5}%?$/.test(text) ? Number.parseInt(text, 10) : -1;
  if (percent < 0 || percent > most) throw new UsageError(`--${name} must be from 0% to ${most}%.`);
  return percent;
}

/** The shortest form that `lengthOption` accepts. */
export function lengthText(seconds: number): string {
  for (const [unit, of] of [
    ['d', 86_400],
    ['h', 3600],
    ['m', 60],
  ] as const)
    if (seconds % of === 0) return `${seconds / of}${unit}`;
  return `${seconds}s`;
}
