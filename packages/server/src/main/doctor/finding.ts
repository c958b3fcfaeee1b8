// What a check found: one line for people, and how to fix it.

export interface Finding {
  /** What was looked at. */
  readonly what: string;
  /** `bad`: the server does not start, or does not do what the settings ask for. */
  readonly state: 'good' | 'warning' | 'bad';
  readonly message: string;
  /** What to do; empty where there is nothing to do. */
  readonly mend: string;
}

export const good = (what: string, message: string): Finding => ({ what, state: 'good', message, mend: '' });
export const warning = (what: string, message: string, mend: string): Finding => ({
  what,
  state: 'warning',
  message,
  mend,
});
export const bad = (what: string, message: string, mend: string): Finding => ({
  what,
  state: 'bad',
  message,
  mend,
});
