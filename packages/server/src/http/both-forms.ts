// One handler for both forms of an operation: common work, and a presenter for each form.
import type { OperationId } from '@pressroom/api/contract';
import type { ApiResponse, ApiRequest, Handler } from './request.ts';

/** Operations with an experimental form in the contract and a stable form in current servers. */
export type TwoFormId = { [Id in OperationId]: `${Id}Ga` extends OperationId ? Id : never }[OperationId];

type FormRequest<Id extends TwoFormId> = ApiRequest<Id> | ApiRequest<`${Id}Ga`>;
type Forms<Id extends TwoFormId, Parts> = { readonly [K in Id | `${Id}Ga`]: Handler<K, Parts> };

export interface Presenters<Id extends TwoFormId, Result> {
  readonly experimental: (
    result: Result,
    request: ApiRequest<Id>,
  ) => ApiResponse<Id> | Promise<ApiResponse<Id>>;
  readonly stable: (
    result: Result,
    request: ApiRequest<`${Id}Ga`>,
  ) => ApiResponse<`${Id}Ga`> | Promise<ApiResponse<`${Id}Ga`>>;
}

export function bothForms<Id extends TwoFormId, Parts, Result>(
  id: Id,
  work: (parts: Parts, request: FormRequest<Id>) => Promise<Result>,
  present: Presenters<Id, Result>,
): Forms<Id, Parts> {
  return {
    [id]: async (parts: Parts, request: ApiRequest<Id>) =>
      present.experimental(await work(parts, request), request),
    [`${id}Ga`]: async (parts: Parts, request: ApiRequest<`${Id}Ga`>) =>
      present.stable(await work(parts, request), request),
  } as unknown as Forms<Id, Parts>;
}

/** Both forms return the same. */
export function sameInBothForms<Id extends TwoFormId, Parts>(
  id: Id,
  work: (parts: Parts, request: FormRequest<Id>) => Promise<ApiResponse<Id> & ApiResponse<`${Id}Ga`>>,
): Forms<Id, Parts> {
  return bothForms<Id, Parts, ApiResponse<Id> & ApiResponse<`${Id}Ga`>>(id, work, {
    experimental: (result) => result,
    stable: (result) => result,
  });
}
