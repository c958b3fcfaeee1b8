import { afterEach, expect, test, vi } from 'vitest';
import { extensions, Uri } from 'vscode';
import { selectedPython } from './selected-python.ts';

afterEach(() => vi.restoreAllMocks());

function withPython(environment: object | undefined, isActive = true): void {
  const environments = {
    getActiveEnvironmentPath: ({ fsPath }: Uri) => ({ path: `${fsPath}/selected` }),
    resolveEnvironment: async ({ path }: { path: string }) =>
      path === '/project/selected' ? environment : undefined,
  };
  vi.spyOn(extensions, 'getExtension').mockReturnValue({ isActive, exports: { environments } } as never);
}

test('is the environment that is selected for the folder', async () => {
  const executable = { sysPrefix: '/envs/sales' };
  withPython({ version: { major: 3, minor: 12, micro: 4 }, executable });
  expect(await selectedPython(Uri.file('/project'))).toEqual({ version: '3.12.4', prefix: '/envs/sales' });
});

test('is unknown without the extension, an environment or a version', async () => {
  const folder = Uri.file('/project');
  expect(await selectedPython(folder)).toBeUndefined();
  withPython({ version: { major: 3, minor: 12, micro: 4 } }, false);
  expect(await selectedPython(folder)).toBeUndefined();
  withPython(undefined);
  expect(await selectedPython(folder)).toBeUndefined();
  withPython({ version: { major: 3, minor: -1, micro: -1 } });
  expect(await selectedPython(folder)).toBeUndefined();
  vi.spyOn(extensions, 'getExtension').mockReturnValue({ isActive: true, exports: {} } as never);
  expect(await selectedPython(folder)).toBeUndefined();
});
