/** Returns the UTF-8 byte length. */
export function countBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
