// Authorization codes: a person allows a program in the browser, and the program exchanges the code for its key. A code
// is an allowed device sign-in, so that it is used once, and ends with the rights of the person.
import { hash } from 'node:crypto';
import { callerNow } from '../../people/caller-now.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { MintedKey } from '../api-keys.ts';
import { hashSecret, type Caller } from '../authenticator.ts';
import { pollDeviceSignIn, type Parts as DeviceParts } from '../device/commands.ts';
import { insertDeviceSignIn, removeExpiredDeviceSignIns } from '../device/store.ts';
import { networkOf } from '../throttle.ts';
import type { Asked } from './asked.ts';

export type Parts = Omit<DeviceParts, 'throttle'>;

/** Microseconds to exchange a code: the browser passes it on at once. */
const LIFETIME = 60 * 1_000_000;

/** @param address of the person’s browser. @returns the code */
export async function allowProgram(
  { storage, clock, ids, audit, secrets }: Parts,
  caller: Caller,
  { clientName: client_name, redirectUri, challenge }: Asked,
  address: string,
): Promise<string> {
  const code = ids.secret();
  await storage.write(async (tx) => {
    await callerNow(tx, caller);
    const now = clock.now();
    await removeExpiredDeviceSignIns(tx, now);
    await insertDeviceSignIn(tx, {
      device_hash: hashSecret(bound(secrets, { code, redirectUri, challenge })),
      // There is nothing to decide any more, so nobody may find it.
      user_code_hash: hashSecret(ids.secret()),
      client_name,
      address,
      network: networkOf(address),
      created_time: now,
      expires_time: now + LIFETIME,
      poll_seconds: 0,
      polled_time: 0,
      decision: 'allowed',
      user_guid: caller.guid,
      purpose: 'sign_in',
      asked_by: null,
    });
    const description = `Allowed "${client_name}" (asked from ${address}) to act as ${caller.username}`;
    await audit(tx, caller, 'allow_device', description);
  });
  return code;
}

/**
 * The code counts only with the address and the secret that it was asked for. Keyed, so that nobody who saw the request
 * and the code can poll for it as a device does, which sends no secret.
 */
function bound(secrets: Secrets, asked: { code: string; redirectUri: string; challenge: string }): string {
  return secrets.derive(`code ${JSON.stringify([asked.code, asked.redirectUri, asked.challenge])}`);
}

/** @throws ApiError 25 with an error code of RFC 8628 for a code that is not valid, or not any more */
export function redeemCode(
  parts: Parts,
  { verifier, ...sent }: { readonly code: string; readonly redirectUri: string; readonly verifier: string },
): Promise<MintedKey> {
  const challenge = hash('sha256', verifier, 'base64url');
  return pollDeviceSignIn(parts, bound(parts.secrets, { ...sent, challenge }), 'token');
}
