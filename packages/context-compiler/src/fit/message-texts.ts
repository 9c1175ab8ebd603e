import type { ChatMessage } from "@ccl/core";

import { fingerprintOf } from "./fingerprint.ts";
import { withoutReasoning } from "./reasoning-texts.ts";

/** Returns the text of a message, without its images and files. */
export function textOf(message: ChatMessage | undefined): string {
  const content = message?.content ?? "";
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

const failurePattern =
  /^\s*(?:<returncode>[1-9]|(?:error|fatal|traceback)\b|exit code:? [1-9])|command not found/i;

/** True for the result of a failed call, judging by `isError` or the start of its text. */
export function hasFailed(message: ChatMessage | undefined): boolean {
  return message?.isError === true || failurePattern.test(textOf(message).slice(0, 200));
}

/** Returns the text, with a placeholder for each non-text part. Leaves out reasoning. */
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

/** Returns the text, followed by the calls requested by the message, one per line. */
export function withCalls(text: string, { toolCalls = [] }: ChatMessage): string {
  const calls = toolCalls.map(({ name, arguments: input }) => `${name}(${input})`);
  return [text, ...calls].join("\n");
}

/**
 * Returns the key under which a cut stores a message's replacement text. If the content changes, so
 * does the key.
 */
export function textKey(message: ChatMessage, index: number): string {
  return `${index} ${fingerprintOf(message)}`;
}

/**
 * Replaces all content of a message with text. Drops its reasoning, since that referred to the old
 * content.
 */
export function withText(message: ChatMessage, text: string): ChatMessage {
  return { ...withoutReasoning(message), content: text };
}
