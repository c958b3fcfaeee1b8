// Package indexes as installers see them: of one with a password or of content's own, the gateway's address only.
import type { PackageSource } from '../package-source.ts';
import { withoutProof, type IndexGateway } from './index-gateway.ts';

export function createShownIndexes(indexes: readonly PackageSource[], gateway: IndexGateway) {
  /** Addresses of indexes by those of the gateway. */
  const shownAs = new Map<string, string>();

  return {
    /** Until disposed, installers can read the indexes at these addresses. */
    async open() {
      const opened = await Promise.all(
        indexes.map(async (source) =>
          source.authorization === null && source.isOwn === undefined ? null : gateway.open(source),
        ),
      );
      const addresses = indexes.map(({ address }, i) => opened[i]?.address ?? address);
      for (const one of opened) if (one) shownAs.set(one.base, one.origin);
      return {
        addresses,
        [Symbol.dispose]() {
          for (const one of opened) {
            one?.[Symbol.dispose]();
            shownAs.delete(one?.base ?? '');
          }
        },
      };
    },
    /** An installer's output with the addresses of the indexes. */
    plain: (text: string) =>
      withoutProof([...shownAs].reduce((all, [from, to]) => all.replaceAll(from, to), text)),
  };
}
