// What a check found: one line for people, and how to fix it.

export interface Finding {
  /** What was looked at. */
  readonly what: string;
  /** `bad`: the server does not start, or does not do what the settings ask for. */
  readonly state: 'good' | 'warning' | 'bad';
  readonly message: string;
  /** What to do; empty where there is nothing to do. */
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
