// What people see of a program that wants to act as them: its name, as it may be shown, and the code they compare.
import type { DeviceCode } from '@pressroom/api/contract';
import { DASHBOARD_PREFIX } from '../../http/paths.ts';

export interface BegunSignIn {
  readonly deviceCode: string;
  /** `XXXX-XXXX`. */
  readonly userCode: string;
  readonly expiresIn: number;
  readonly interval: number;
}

/** What the program is told. @param base the address of the server as the program sees it */
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

/** Characters kept of a name. */
const NAME_LENGTH = 80;
/** In a row, above or below one letter: more of them cover the lines around. */
const MARKS = /(\p{M}{2})\p{M}+/gu;

/**
 * The name in one line: nothing that steers a terminal, turns the direction of writing, is not seen or covers its
 * surroundings. Empty where nothing is left.
 */
export function shownName(name: string): string {
  const plain = name
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

/** The code in what somebody typed, in any case and with anything between the letters; null when it is none. */
export function readCode(typed: string): string | null {
  const code = typed
    .slice(0, 64)
    .toUpperCase()
    .replace(/[^A-Z]/g, '');
  return code.length === 8 ? code : null;
}
