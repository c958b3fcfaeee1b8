// Splits the engine's combined output stream of a container into its frames.

/** One byte for the stream, three empty ones, four for the length. */
const HEADER = 8;
const STDERR = 2;

/** Passes on parts of a frame as they arrive, whatever its size. */
export function createDemultiplexer(
  onOutput: (chunk: Buffer, from: 'stdout' | 'stderr') => void,
): (chunk: Buffer) => void {
  let header: Buffer = Buffer.alloc(0);
  let left = 0;
  return (chunk) => {
    let rest = chunk;
    while (rest.length > 0) {
      if (left === 0) {
        const missing = HEADER - header.length;
        header = Buffer.concat([header, rest.subarray(0, missing)]);
        rest = rest.subarray(missing);
        if (header.length < HEADER) return;
        left = header.readUInt32BE(4);
      }
      const piece = rest.subarray(0, left);
      if (piece.length > 0) onOutput(piece, header[0] === STDERR ? 'stderr' : 'stdout');
      left -= piece.length;
      rest = rest.subarray(piece.length);
      if (left === 0) header = Buffer.alloc(0);
    }
  };
}
