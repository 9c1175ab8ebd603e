/** The length in UTF-8 bytes. */
export function countBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
