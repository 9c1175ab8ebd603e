const signatures: readonly [mimeType: string, pattern: RegExp][] = [
  ["image/png", /^\x89PNG\r\n/],
  ["image/jpeg", /^\xFF\xD8\xFF/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[^]{4}WEBP/],
];

/**
 * Detects the media type of an image that models accept, by its first bytes. Undefined for other
 * bytes.
 */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  return signatures.find(([, pattern]) => pattern.test(head))?.[0];
}
