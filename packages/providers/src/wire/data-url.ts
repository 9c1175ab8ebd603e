import { fromBase64 } from "./base64.ts";

/** The media type and the bytes of a base64 `data:` address; undefined for any other address. */
export function parseDataUrl(url: string): { mimeType: string; data: Uint8Array } | undefined {
  const header = /^data:([^;,]+);base64,/.exec(url.slice(0, 300));
  const data = header === null ? undefined : fromBase64(url.slice(header[0].length));
  return data === undefined ? undefined : { mimeType: header?.[1] ?? "", data };
}
