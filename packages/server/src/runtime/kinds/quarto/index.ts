// Quarto documents and projects: rendered by the installed quarto, with code in R, Python or both.
import { join } from 'node:path';
import { errors } from '@pressroom/api/contract';
import type { DocumentEngine, Environment, Language } from '../engine.ts';
import { document } from '../from-table.ts';
import { readParameters } from '../parameters/read-parameters.ts';
import { readableOf } from '../readable-of.ts';
import { runRender } from '../run-render.ts';

/** Next to this file, and next to the built bundle. */
const SCRIPT = join(import.meta.dirname, 'render-quarto.sh');
/** Languages of Quarto's engines; `markdown` needs none. */
const LANGUAGES: ReadonlyMap<string, Language> = new Map([
  ['knitr', 'R'],
  ['jupyter', 'Python'],
]);

export const quarto: DocumentEngine = {
  ...document('quarto-static'),
  building: 'Building Quarto document...',
  parameters: readParameters,
  languagesOf({ quarto: said, packages, python }) {
    // Manifests without engines are judged by the packages they restore.
    const engines = said?.engines ?? [...(packages ? ['knitr'] : []), ...(python ? ['jupyter'] : [])];
    const unknown = engines.find((engine) => engine !== 'markdown' && !LANGUAGES.has(engine));
    if (unknown !== undefined)
      throw errors.actionNotSupported({ message: `this server does not run the Quarto engine "${unknown}"` });
    return [...new Set(engines.flatMap((engine) => LANGUAGES.get(engine) ?? []))].toSorted().toReversed();
  },
  program: {
    name: 'Quarto',
    version: async (config, { findQuarto }) => (await findQuarto(config['Quarto.Executable']))?.version ?? '',
    async find(config, installations) {
      const found = await installations.findQuarto(config['Quarto.Executable']);
      if (found !== null) return { language: null, env: {}, ...found };
      const message =
        installations.anyImage === null
          ? 'Quarto documents need Quarto, which this server does not have: an administrator installs it, or names it in the setting Quarto.Executable'
          : 'Quarto documents cannot be rendered in containers';
      throw errors.actionNotSupported({ message });
    },
  },
  async render(request) {
    const { manifest, environment, others = [], output, values = '' } = request;
    const program = request.program!;
    const isSite = manifest.content_category === 'site';
    const input = manifest.primary_rmd ?? manifest.entrypoint ?? '';
    const all = [environment, ...others].filter(({ language }) => language !== null);
    const env = Object.assign({}, ...all.map((one) => one.env)) as Record<string, string>;
    const readable = all.flatMap(readableOf);
    await runRender(
      { ...request, environment: { ...program, env, readable: [...program.readable, ...readable] } },
      SCRIPT,
      {
        file: '/bin/sh',
        args: [SCRIPT, program.file, isSite ? 'site' : 'document', input && `./${input}`, output, values],
        env: { ...programsOf(all), PYTHONUNBUFFERED: '1', PYTHONNOUSERSITE: '1' },
      },
    );
  },
};

/** The R and Python that Quarto uses. */
function programsOf(environments: readonly Environment[]): Record<string, string> {
  return Object.fromEntries(
    environments.map(({ language, file }) => [language === 'R' ? 'QUARTO_R' : 'QUARTO_PYTHON', file]),
  );
}
