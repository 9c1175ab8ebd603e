import type { MediaPart } from "@ccl/core";

/** What stands for media that a tool gave and a wire can't carry: nobody chose to send them, and to refuse them would end the conversation. */
export function mediaNote({ mimeType, data, url }: MediaPart): string {
  const what =
    data === undefined ? (url === undefined ? "" : ` at ${url}`) : `, ${data.length} bytes`;
  return `[${mimeType}${what}: can't be shown here]`;
}
