// The worker thread that validates responses one by one.
import { parentPort, workerData } from 'node:worker_threads';
import { SAML, type SamlConfig } from '@node-saml/node-saml';
import { messageOf } from '../../../platform/errors.ts';
import type { Validated } from './validate-in-thread.ts';

const saml = new SAML(workerData as SamlConfig);

async function validate(response: string): Promise<Validated> {
  const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: response });
  if (!profile) return { failed: 'the response contains no assertion' };
  // Functions cannot be copied.
  const values = Object.entries(profile).filter(([, value]) => typeof value !== 'function');
  return { profile: Object.fromEntries(values), assertion: profile.getAssertion?.() };
}

parentPort?.on('message', (response: string) => {
  void validate(response)
    .catch((error: unknown) => ({ failed: messageOf(error) }))
    .then((result) => parentPort?.postMessage(result));
});
