const maxBytesAtOnce = 65_536;

/** Returns random bytes from the runtime's secure source (`crypto.getRandomValues`). */
export function randomBytes(byteCount: number): Uint8Array {
  const bytes = new Uint8Array(byteCount);
  for (let start = 0; start < byteCount; start += maxBytesAtOnce) {
    crypto.getRandomValues(bytes.subarray(start, start + maxBytesAtOnce));
  }
  return bytes;
}

/** Returns random bytes in lower-case hexadecimal, for names of temporary files and the like. */
export function randomHex(byteCount: number): string {
  return Array.from(randomBytes(byteCount), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
