// Jupyter notebooks: executed with the packages of the content, and converted to HTML by the system's nbconvert.
import { join } from 'node:path';
import { errors, type Manifest } from '@pressroom/api/contract';
import { SYSTEM_PYTHON } from '../../installations.ts';
import type { DocumentEngine } from '../engine.ts';
import { document } from '../from-table.ts';
import { readParameters } from '../parameters/read-parameters.ts';
import { runRender } from '../run-render.ts';

/** Next to this file, and next to the built bundle. */
const SCRIPT = join(import.meta.dirname, 'render_notebook.py');

export const jupyter: DocumentEngine = {
  ...document('jupyter-static'),
  building: 'Building Jupyter notebook...',
  parameters: readParameters,
  tools: ['ipykernel'],
  async render(request) {
    const { manifest, environment, output, values } = request;
    const notebook = manifest.entrypoint ?? manifest.primary_html;
    if (notebook === null)
      throw errors.invalidManifest({ message: 'the manifest does not name a notebook (entrypoint)' });
    await runRender(request, SCRIPT, {
      // Has nbconvert, independent of the content's packages.
      file: environment.base ?? SYSTEM_PYTHON,
      args: [SCRIPT, environment.file, `./${notebook}`, output, values ?? '', ...hidden(manifest)],
      env: { PYTHONUNBUFFERED: '1', PYTHONNOUSERSITE: '1', PYDEVD_DISABLE_FILE_VALIDATION: '1' },
    });
  },
};

/** Options of the script that hide all code, or that of tagged cells. */
function hidden({ jupyter }: Pick<Manifest, 'jupyter'>): string[] {
  if (jupyter?.hide_all_input) return ['--hide-all-input'];
  return jupyter?.hide_tagged_input ? ['--hide-tagged-input'] : [];
}
