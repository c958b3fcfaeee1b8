import { expect, test } from 'vitest';
import { settingOf } from './store-failure.ts';

test.each(['InvalidAccessKeyId', 'XAdminUserNotFound'])('attributes %s to Storage.KeyID', (name) => {
  expect(settingOf(Object.assign(new Error('refused'), { name }))).toBe('Storage.KeyID');
});
