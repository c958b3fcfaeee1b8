// What people see of a program that asks to act as them: its sanitised name, and the code to compare.
import type { DeviceCode } from '@pressroom/api/contract';
import { DASHBOARD_PREFIX } from '../../http/paths.ts';

export interface BegunSignIn {
  readonly deviceCode: string;
  /** `XXXX-XXXX`. */
  readonly userCode: string;
  readonly expiresIn: number;
  readonly interval: number;
}

/** The response to the program. @param base the address of the server as the program sees it */
export function presentDeviceCode(begun: BegunSignIn, base: string): DeviceCode {
  const { deviceCode, userCode, expiresIn, interval } = begun;
  const page = `${base}${DASHBOARD_PREFIX}/device`;
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?code=${userCode}`,
    expires_in: expiresIn,
    interval,
  };
}

/** Maximum characters of a name. */
const NAME_LENGTH = 80;
/** Characters of a name that are read: normalizing many combining marks takes quadratic time. */
const READ_LENGTH = 1000;
/** Combining marks on one letter: many of them would cover neighbouring lines. */
const MARKS = /(\p{M}{2})\p{M}+/gu;

/**
 * The name in one line, without characters that affect terminals, writing direction or neighbouring text, or are
 * invisible. Empty if nothing is left.
 */
export function shownName(name: string): string {
  const plain = name
    .slice(0, READ_LENGTH)
    .normalize('NFC')
    .replace(/[\s\p{Cc}\p{Z}]+/gu, ' ')
    .replace(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(MARKS, '$1')
    .trim();
  return [...plain].slice(0, NAME_LENGTH).join('').trim();
}

/** `XXXX-XXXX`. */
export function shownCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** The code in typed text, in any case and with any separators; null if invalid. */
export function readCode(typed: string): string | null {
  const code = typed
    .slice(0, 64)
    .toUpperCase()
    .replace(/[^A-Z]/g, '');
  return code.length === 8 ? code : null;
}
