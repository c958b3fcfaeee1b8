// The result of a check: one line and a remedy.

export interface Finding {
  /** The subject of the check. */
  readonly what: string;
  /** `bad`: the server does not start, or does not do what the settings say. */
  readonly state: 'good' | 'warning' | 'bad';
  readonly message: string;
  /** Empty if nothing is to be done. */
  readonly remedy: string;
}

export const good = (what: string, message: string): Finding => ({
  what,
  state: 'good',
  message,
  remedy: '',
});
export const warning = (what: string, message: string, remedy: string): Finding => ({
  what,
  state: 'warning',
  message,
  remedy,
});
export const bad = (what: string, message: string, remedy: string): Finding => ({
  what,
  state: 'bad',
  message,
  remedy,
});
