import type { MediaPart } from "@ccl/core";

/** What stands for media that a tool gave and a wire format can't carry; to refuse them would end the conversation. */
export function mediaNote({ mimeType, data, url }: MediaPart): string {
  const what =
    data === undefined ? (url === undefined ? "" : ` at ${url}`) : `, ${data.length} bytes`;
  return `[${mimeType}${what}: can't be shown here]`;
}
