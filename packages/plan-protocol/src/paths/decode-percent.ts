/** No real file name is encoded more often than this. */
const MAX_ROUNDS = 8;

/** A byte that cannot begin a UTF-8 sequence, or begins an overlong one. `%c0%af` was once decoded as a slash. */
const OVERLONG = /%(?:c[01]|f[8-9a-f]|e0%[89]|f0%8)/i;

/**
 * Decodes a path as often as possible, to see what a later decoder could turn it into. Undefined if the encoding can
 * only be meant to deceive. The decoded path is never used: if it would be rejected, so is the original.
 */
export function decodePercent(path: string): string | undefined {
  let decoded = path;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (OVERLONG.test(decoded)) return undefined;
    const next = decodeOnce(decoded);
    if (next === decoded) return decoded;
    decoded = next;
  }
  return undefined;
}

function decodeOnce(text: string): string {
  return text
    .replace(/%u([0-9a-f]{4})/gi, (_match, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    )
    .replace(/(?:%[0-9a-f]{2})+/gi, decodeBytes)
    .replace(/(?<=^|\/)(?:\.|0x2e){2}(?=0x(?:2f|5c))0x(?:2f|5c)/gi, "../");
}

function decodeBytes(encoded: string): string {
  const bytes = Uint8Array.from(encoded.slice(1).split("%"), (digits) =>
    Number.parseInt(digits, 16),
  );
  return new TextDecoder().decode(bytes);
}
