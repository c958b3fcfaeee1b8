import { expect, test } from 'vitest';
import { settingOf } from './store-failure.ts';

test.each(['InvalidAccessKeyId', 'XAdminUserNotFound'])(
  '%s is about the key, not about the address',
  (name) => {
    expect(settingOf(Object.assign(new Error('refused'), { name }))).toBe('Storage.KeyID');
  },
);
