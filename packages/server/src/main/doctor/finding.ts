// What a check found: one line for people, and how to mend it.

export interface Finding {
  /** What was looked at. */
  readonly what: string;
  /** `bad`: the server does not start, or does not do what the settings ask for. */
  readonly state: 'good' | 'warning' | 'bad';
  readonly says: string;
  /** What to do; empty where there is nothing to do. */
  readonly mend: string;
}

export const good = (what: string, says: string): Finding => ({ what, state: 'good', says, mend: '' });
export const warning = (what: string, says: string, mend: string): Finding => ({
  what,
  state: 'warning',
  says,
  mend,
});
export const bad = (what: string, says: string, mend: string): Finding => ({
  what,
  state: 'bad',
  says,
  mend,
});
