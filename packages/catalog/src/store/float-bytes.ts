const bytesOfFloat = 4;
const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Encodes numbers as 32-bit floats, little endian. */
export function bytesOfFloats(values: Float32Array): Uint8Array {
  if (isLittleEndian) return new Uint8Array(values.slice().buffer);
  const view = new DataView(new ArrayBuffer(values.length * bytesOfFloat));
  values.forEach((value, at) => view.setFloat32(at * bytesOfFloat, value, true));
  return new Uint8Array(view.buffer);
}

/** Decodes such bytes to a copy. Returns undefined if they are not a whole number of floats. */
export function floatsOfBytes(bytes: unknown): Float32Array | undefined {
  if (!(bytes instanceof Uint8Array) || bytes.length % bytesOfFloat !== 0) return undefined;
  if (isLittleEndian) return new Float32Array(new Uint8Array(bytes).buffer);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from({ length: bytes.length / bytesOfFloat }, (_, at) =>
    view.getFloat32(at * bytesOfFloat, true),
  );
}
