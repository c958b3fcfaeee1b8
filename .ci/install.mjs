// `npm run setup`: installs what the tests need, including runtimes of the examples. Runs on any Node from 20 up.
import { installEditor } from '../test/editor/host/install.mjs';
import { installDependencies } from './dependencies.mjs';
import { installForTests } from './for-tests.mjs';

const dependencies = installDependencies({ whole: true });
// Both mostly wait for servers.
const editor = process.argv.includes('--editor') && installEditor();
if (process.argv.includes('--system') && !(await installForTests())) process.exitCode = 1;
await editor;
await dependencies;
