// Buffer in the build for browsers, as far as answers are read with it.
export const Buffer = {
  concat(pieces: readonly Uint8Array[]): { toString(): string } {
    const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    return { toString: () => new TextDecoder().decode(all) };
  },
};
