// Package repositories as the API shows them.
import type { PackageSource } from '@pressroom/api/contract';
import type { PackageSourceRow } from './store.ts';

export function presentSource({ language, address, username, password }: PackageSourceRow): PackageSource {
  return { language, address, username, has_password: password !== null };
}
