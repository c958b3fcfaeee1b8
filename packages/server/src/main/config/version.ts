// The version of this server, from its package.
import manifest from '../../../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;
