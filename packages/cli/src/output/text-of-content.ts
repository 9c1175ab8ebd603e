import type { ChatMessage } from "@ccl/core";

/** What a person reads of a message: its texts, and a mark for each part that is none. */
export function textOfContent(content: ChatMessage["content"] | undefined = ""): string {
  if (typeof content === "string") return content;
  return content.map((part) => ("text" in part ? part.text : `[${part.type}]`)).join(" ");
}
