import type { ChatMessage } from "@ccl/core";

import { fingerprintOf } from "./fingerprint.ts";
import { withoutReasoning } from "./reasoning-texts.ts";

/** The texts of a message, without its images and files. */
export function textOf(message: ChatMessage | undefined): string {
  const content = message?.content ?? "";
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

const failurePattern =
  /^\s*(?:<returncode>[1-9]|(?:error|fatal|traceback)\b|exit code:? [1-9])|command not found/i;

/** True for the result of a call that failed, by its mark or by how its text begins. */
export function hasFailed(message: ChatMessage | undefined): boolean {
  return message?.isError === true || failurePattern.test(textOf(message).slice(0, 200));
}

/** The texts, and a mark for each part that is none; thoughts are left out. */
export function readableText({ content }: ChatMessage): string {
  if (typeof content === "string") return content;
  const texts = content.flatMap((part) => {
    if (part.type === "text") return [part.text];
    if (part.type === "reasoning") return [];
    return [
      `[${part.type} of ${part.type === "provider" ? part.provider : part.mimeType} removed]`,
    ];
  });
  return texts.join("\n");
}

/** The text with the calls that the message asks for, a line each. */
export function withCalls(text: string, { toolCalls = [] }: ChatMessage): string {
  const calls = toolCalls.map(({ name, arguments: input }) => `${name}(${input})`);
  return [text, ...calls].join("\n");
}

/** The key of a message's other text in a cut: with other content it is another message. */
export function textKey(message: ChatMessage, index: number): string {
  return `${index} ${fingerprintOf(message)}`;
}

/** The message with another text in place of all its content; its thoughts go, since they were about what it said. */
export function withText(message: ChatMessage, text: string): ChatMessage {
  return { ...withoutReasoning(message), content: text };
}
