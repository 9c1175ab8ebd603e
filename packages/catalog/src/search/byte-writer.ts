/** Bytes that grow. */
export interface ByteWriter {
  /** A whole number from 0 to 2^53, seven bits a byte, lowest first (LEB128). */
  writeCount(value: number): void;
  writeBytes(bytes: Uint8Array): void;
  /** Little-endian IEEE 754. */
  writeFloat32(value: number): void;
  /** A copy of what was written. */
  finish(): Uint8Array;
}

/** A writer of nothing yet. */
export function createByteWriter(): ByteWriter {
  let bytes = new Uint8Array(4096);
  let view = new DataView(bytes.buffer);
  let size = 0;
  const reserve = (more: number): void => {
    if (size + more <= bytes.length) return;
    const grown = new Uint8Array(Math.max(bytes.length * 2, size + more));
    grown.set(bytes.subarray(0, size));
    bytes = grown;
    view = new DataView(bytes.buffer);
  };
  return {
    writeCount(value) {
      reserve(8);
      let rest = value;
      while (rest >= 128) {
        bytes[size] = (rest % 128) + 128;
        size += 1;
        rest = Math.floor(rest / 128);
      }
      bytes[size] = rest;
      size += 1;
    },
    writeBytes(more) {
      reserve(more.length);
      bytes.set(more, size);
      size += more.length;
    },
    writeFloat32(value) {
      reserve(4);
      view.setFloat32(size, value, true);
      size += 4;
    },
    finish: () => bytes.slice(0, size),
  };
}
