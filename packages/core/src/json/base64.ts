// A multiple of three, so that the encoded pieces join without padding.
const pieceBytes = 24_576;

/** Encodes bytes as standard base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(start, start + pieceBytes))));
  }
  return pieces.join("");
}

/** Decodes standard base64, whose padding may be missing. Ignores white space. Undefined for any other text. */
export function fromBase64(text: string): Uint8Array | undefined {
  try {
    const characters = atob(text);
    // `Uint8Array.from` takes more than ten times as long.
    return new Uint8Array(characters.length).map((_, at) => characters.charCodeAt(at));
  } catch {
    return undefined;
  }
}

/**
 * Parses a base64 `data:` URL (RFC 2397) into its media type, without parameters, and bytes. Undefined for any other
 * address, and without a media type.
 */
export function parseDataUrl(url: string): { mimeType: string; data: Uint8Array } | undefined {
  const header = /^data:([^;,]+)(?:;[^;,]*)*;base64,/i.exec(url.slice(0, 300));
  const data = header === null ? undefined : fromBase64(url.slice(header[0].length));
  return data === undefined ? undefined : { mimeType: header?.[1] ?? "", data };
}
