const encoder = new TextEncoder();

/**
 * Packs a vocabulary into bytes, which load some 20 times faster than a module. The format is the
 * number of ranks (32 bits, little endian), the length of each token, then their bytes.
 * `vocabulary[rank]` is a token's text, or its bytes if they are not valid text. An unused rank has
 * length 0.
 */
export function packVocabulary(
  vocabulary: readonly (string | readonly number[] | undefined)[],
): Uint8Array {
  const tokens = Array.from(vocabulary, (token = "") =>
    typeof token === "string" ? encoder.encode(token) : Uint8Array.from(token),
  );
  const length = tokens.reduce((sum, token) => sum + token.length, 4 + tokens.length);
  const packed = new Uint8Array(length);
  new DataView(packed.buffer).setUint32(0, tokens.length, true);
  packed.set(
    Uint8Array.from(tokens, (token) => token.length),
    4,
  );
  let at = 4 + tokens.length;
  for (const token of tokens) {
    packed.set(token, at);
    at += token.length;
  }
  return packed;
}
