/**
 * Creates a zstd frame with uncompressed blocks, since Node 20 has no encoder (RFC 8878, 3.1.1).
 */
export function storedZstd(bytes: Uint8Array): Buffer {
  const frame = [Buffer.from("28b52ffd", "hex"), Buffer.of(0, 0x48)];
  const largest = 2 ** 17;
  for (let at = 0; at === 0 || at < bytes.length; at += largest) {
    const block = bytes.subarray(at, at + largest);
    const isLast = at + largest >= bytes.length ? 1 : 0;
    const header = Buffer.alloc(4);
    header.writeUInt32LE(block.length * 8 + isLast);
    frame.push(header.subarray(0, 3), Buffer.from(block));
  }
  return Buffer.concat(frame);
}
