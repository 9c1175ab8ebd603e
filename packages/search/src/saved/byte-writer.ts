/** A buffer that grows as bytes are written. */
export interface ByteWriter {
  /** Writes a whole number from 0 to 2^53 with seven bits per byte, lowest first (LEB128). */
  writeCount(value: number): void;
  writeBytes(bytes: Uint8Array): void;
  /** Writes a little-endian IEEE 754 number. */
  writeFloat32(value: number): void;
  /** Returns a copy of the bytes written so far. */
  finish(): Uint8Array;
}

/** Creates an empty writer. */
export function createByteWriter(): ByteWriter {
  let bytes = new Uint8Array(4096);
  let size = 0;
  const writeBytes = (more: Uint8Array | number[]): void => {
    if (size + more.length > bytes.length) {
      const grown = new Uint8Array(Math.max(bytes.length * 2, size + more.length));
      grown.set(bytes.subarray(0, size));
      bytes = grown;
    }
    bytes.set(more, size);
    size += more.length;
  };
  const float = new Uint8Array(4);
  const view = new DataView(float.buffer);
  return {
    writeCount(value) {
      const digits: number[] = [];
      let rest = value;
      for (; rest >= 128; rest = Math.floor(rest / 128)) digits.push((rest % 128) + 128);
      writeBytes([...digits, rest]);
    },
    writeBytes,
    writeFloat32(value) {
      view.setFloat32(0, value, true);
      writeBytes(float);
    },
    finish: () => bytes.slice(0, size),
  };
}
