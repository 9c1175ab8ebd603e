// A multiple of three, so that the pieces join without padding between them.
const pieceBytes = 24_576;

/** Standard base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(start, start + pieceBytes))));
  }
  return pieces.join("");
}

/** The bytes of standard base64; undefined when the text is not that. */
export function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
