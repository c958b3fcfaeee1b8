// The declared parameters of a bundle, as read at its rendering.
import type { Parameter } from '@pressroom/api/contract';

/** Null for a bundle rendered before parameters were stored. */
export function storedDeclaration(parameters: string | null): Parameter[] | null {
  return parameters === null ? null : (JSON.parse(parameters) as Parameter[]);
}
