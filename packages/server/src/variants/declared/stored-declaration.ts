// The parameters of a bundle, as they were read when it was rendered.
import type { Parameter } from '@pressroom/api/contract';

/** Null where the bundle was not rendered since its parameters are kept. */
export function storedDeclaration(parameters: string | null): Parameter[] | null {
  return parameters === null ? null : (JSON.parse(parameters) as Parameter[]);
}
