// Stand-in until restore lands.
import type { Manifest } from '../../deploy/archive/index.ts';
import type { Environment, Language } from '../engines/engine.ts';
import { findInstallations } from '../installations.ts';

export interface RestoreRequest {
  readonly language: Language;
  readonly manifest: Manifest;
  readonly source: string;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}
export interface Restorer {
  restore(request: RestoreRequest): Promise<Environment>;
}
export const systemRestorer: Restorer = {
  async restore({ language }) {
    const version = (await findInstallations(language))[0] ?? '';
    const file = language === 'R' ? 'Rscript' : '/usr/bin/python3';
    return { language, version, file, env: {}, readable: [] };
  },
};
