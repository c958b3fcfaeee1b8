// Properties of engines from the contract's table of kinds.
import { KINDS, type KindName } from '@pressroom/api/contract';
import type { ApplicationEngine, DocumentEngine } from './engine.ts';

type Row<Engine extends string> = {
  [Name in KindName]: (typeof KINDS)[Name] extends { readonly engine: Engine } ? Name : never;
}[KindName];

export function application(
  name: Row<'application'>,
): Pick<ApplicationEngine, 'kind' | 'language' | 'tag' | 'sessions' | 'countsVisits' | 'remembersVisitors'> {
  const { language, tag } = KINDS[name];
  return {
    kind: 'application',
    language,
    tag,
    sessions: 'sessions' in KINDS[name],
    countsVisits: 'countsVisits' in KINDS[name],
    remembersVisitors: 'remembersVisitors' in KINDS[name],
  };
}

export function document(name: Row<'document'>): Pick<DocumentEngine, 'kind' | 'language'> {
  return { kind: 'document', language: KINDS[name].language };
}
