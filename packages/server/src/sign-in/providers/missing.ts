// For the log: what a provider does not say about a person, and what it says instead.
import type { Config, SettingName } from '../../main/config/settings.ts';

/** @param known names of the claims or attributes there are, as keys; values are personal */
export function missing(config: Config, setting: SettingName, known: object): Error {
  const names = Object.keys(known).join(', ') || 'none';
  return new Error(`${setting} is ${String(config[setting])}, but the provider sends only: ${names}`);
}
