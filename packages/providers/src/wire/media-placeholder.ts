import type { MediaPart } from "@ccl/core";

/** The text in place of media that a tool returned and a wire format has no field for. */
export function mediaPlaceholder({ mimeType, data, url }: MediaPart): string {
  const what =
    data === undefined ? (url === undefined ? "" : ` at ${url}`) : `, ${data.length} bytes`;
  return `[${mimeType}${what}: can't be shown here]`;
}
