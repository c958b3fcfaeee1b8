import { expect, test } from 'vitest';
import { useProxies } from './use-proxies.ts';

test.each(['proxy:3128', 'a proxy'])(
  'the address %s is no proxy: the message names the variable',
  (address) => {
    expect(() => useProxies({ HTTPS_PROXY: address })).toThrow(/HTTPS_PROXY.*such as http:/);
  },
);
