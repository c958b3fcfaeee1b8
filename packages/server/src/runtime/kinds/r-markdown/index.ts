// R Markdown rendered at publishing: single documents and sites.
import { join } from 'node:path';
import { INDEX_RMD } from '@pressroom/api/contract';
import type { DocumentEngine } from '../engine.ts';
import { document } from '../from-table.ts';
import { readParameters } from '../parameters/read-parameters.ts';
import { runRender } from '../run-render.ts';

/** Next to this file, and next to the built bundle. */
const SCRIPT = join(import.meta.dirname, 'render-r-markdown.R');

export const rMarkdown: DocumentEngine = {
  ...document('rmd-static'),
  building: 'Building R Markdown document...',
  parameters: readParameters,
  async render(request) {
    const { manifest, environment, output, values = '' } = request;
    const isSite = manifest.content_category === 'site';
    const input = manifest.primary_rmd ?? INDEX_RMD;
    await runRender(request, SCRIPT, {
      file: environment.file,
      // Prevents a name with a leading dash from being parsed as an option.
      args: ['--no-save', '--no-restore', SCRIPT, isSite ? 'site' : 'document', `./${input}`, output, values],
    });
  },
};
