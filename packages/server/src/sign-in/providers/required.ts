// Required settings of providers.
import { encrypted, isSecure, type PlainProtocol } from '../../main/config/addresses.ts';
import { ConfigError } from '../../main/config/load-config.ts';
import type { Config, SettingName } from '../../main/config/settings.ts';

/** @throws ConfigError naming the empty settings. */
export function requireSettings(config: Config, names: readonly SettingName[]): void {
  const missing = names.filter((name) => config[name] === '');
  if (missing.length === 0) return;
  throw new ConfigError(
    `${missing.join(', ')} must be set under ${config['Authentication.Provider']} authentication`,
  );
}

/** An address for credentials. @throws ConfigError unless it is encrypted, or within the machine. */
export function secureUrl(config: Config, name: SettingName, plain: PlainProtocol): URL {
  let url: URL;
  try {
    url = new URL(String(config[name]));
  } catch (cause) {
    throw new ConfigError(`${name} must be an address`, { cause });
  }
  if (isSecure(url, plain)) return url;
  throw new ConfigError(`${name} must begin with ${encrypted(plain)}// (${plain}// only on this machine)`);
}
