// `npm run generate`: writes files generated from the contract and the settings.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedFiles } from './generated-files.ts';

const root = join(import.meta.dirname, '../..');
for (const [file, text] of Object.entries(generatedFiles())) writeFileSync(join(root, file), text);
