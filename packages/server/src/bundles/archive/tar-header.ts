// Parses a 512-byte tar header and pax records, strictly: uploads are untrusted.
import { isUtf8 } from 'node:buffer';
import { quoteName } from '@pressroom/api/contract';
import { badArchive } from './refusals.ts';

/** Bytes of a tar block. */
export const BLOCK = 512;

/** A parsed header; the name is not checked yet. */
export interface TarHeader {
  name: string;
  /** The type flag as a character; NUL becomes "0". */
  type: string;
  /** Bytes of data after the header. */
  size: number;
  /** Permission bits; 0 when unreadable. */
  mode: number;
}

/** Reads a header block that is not all zeros. @throws ApiError 135 */
export function readHeader(block: Buffer): TarHeader {
  verifyChecksum(block);
  const magic = block.toString('latin1', 257, 263);
  if (magic !== 'ustar\0' && magic !== 'ustar ' && !isZero(block.subarray(257, 263))) {
    throw badArchive('not a tar archive');
  }
  const own = nameField(block.subarray(0, 100));
  // GNU's variant keeps times where POSIX keeps the prefix.
  const prefix = magic === 'ustar\0' ? nameField(prefixField(block)) : '';
  const name = prefix === '' ? own : `${prefix}/${own}`;
  const type = block[156] === 0 ? '0' : String.fromCharCode(block[156] ?? 0);
  const size = octal(block.subarray(124, 136));
  if (size === null) throw badArchive(`the size of entry ${quoteName(name)} is not an octal number`);
  return { name, type, size, mode: octal(block.subarray(100, 108)) ?? 0 };
}

/** Decodes the name of an entry, which must be UTF-8 without NUL. @throws ApiError 135 */
export function nameText(bytes: Buffer): string {
  const name = bytes.toString('latin1');
  if (name.includes('\0')) throw badArchive(`the name ${quoteName(name)} holds a NUL`);
  if (!isUtf8(bytes)) throw badArchive(`the name ${quoteName(name)} is not UTF-8`);
  return bytes.toString('utf8');
}

/**
 * The records of a pax extended header.
 * @throws ApiError 135 for anything but `<length> <key>=<value>\n` records, end to end.
 */
export function readPaxRecords(data: Buffer): Map<string, Buffer> {
  const records = new Map<string, Buffer>();
  let at = 0;
  while (at < data.length) {
    const space = data.indexOf(0x20, at);
    const digits = space < 0 ? '' : data.toString('latin1', at, space);
    const length = /^[1-9][0-9]{0,8}$/.test(digits) ? Number(digits) : 0;
    const end = at + length;
    const equals = data.indexOf(0x3d, space);
    if (length === 0 || end > data.length || equals < 0 || equals >= end || data[end - 1] !== 0x0a) {
      throw badArchive('a pax header is malformed');
    }
    records.set(data.toString('utf8', space + 1, equals), data.subarray(equals + 1, end - 1));
    at = end;
  }
  return records;
}

/** A number in a pax record. @throws ApiError 135 */
export function paxNumber(value: Buffer): number {
  const text = value.toString('latin1');
  const number = /^[0-9]{1,15}$/.test(text) ? Number(text) : NaN;
  if (Number.isNaN(number)) throw badArchive('a pax header has a size that is not a number');
  return number;
}

/** Whether every byte is 0. */
export function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}

function verifyChecksum(block: Buffer): void {
  const stored = octal(block.subarray(148, 156));
  let unsigned = 8 * 0x20;
  let signed = unsigned;
  for (let i = 0; i < BLOCK; i++) {
    if (i >= 148 && i < 156) continue;
    const byte = block[i] ?? 0;
    unsigned += byte;
    // Some early writers summed signed bytes; readers accept both.
    signed += byte < 128 ? byte : byte - 256;
  }
  if (stored !== unsigned && stored !== signed) {
    throw badArchive('not a tar archive, or damaged: a header checksum is wrong');
  }
}

/**
 * The prefix: 155 bytes. npm's tar package by default stores access and change times in the last 24 of them, after a
 * NUL where other readers see the end of the prefix.
 */
function prefixField(block: Buffer): Buffer {
  const times = [block.subarray(476, 488), block.subarray(488, 500)];
  const holdsTimes = block[475] === 0 && times.every((time) => isBase256(time) || octal(time) !== null);
  return block.subarray(345, holdsTimes ? 475 : 500);
}

/** The encoding of times before 1970 and after 2242. */
function isBase256(field: Buffer): boolean {
  return field[0] === 0x80 || field[0] === 0xff;
}

/** A NUL-padded name. Bytes after the NUL are refused, because readers disagree about them. */
function nameField(field: Buffer): string {
  const nul = field.indexOf(0);
  if (nul < 0) return nameText(field);
  return nameText(isZero(field.subarray(nul)) ? field.subarray(0, nul) : field);
}

/** An octal field padded with spaces or NULs; null for anything else, base-256 numbers included. */
function octal(field: Buffer): number | null {
  const match = /^ *([0-7]*)[ \0]*$/.exec(field.toString('latin1'));
  if (match === null) return null;
  return match[1] === '' ? 0 : Number.parseInt(match[1] ?? '', 8);
}
