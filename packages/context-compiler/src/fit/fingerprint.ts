import { type ChatMessage, type Part, sha256Hex, type ToolDescription } from "@ccl/core";

import { reasoningTexts } from "./reasoning-texts.ts";

/**
 * Returns a short hash of the message parts that a provider would see. Equal content has equal
 * hashes.
 */
export function fingerprintOf(message: ChatMessage): string {
  const { role, content, toolCalls = [], toolCallId, isError = false } = message;
  const parts = typeof content === "string" ? content : content.map(seenOf);
  const calls = toolCalls.map(({ id, name, arguments: input }) => [id, name, input]);
  return markOf([role, parts, reasoningTexts(message), calls, toolCallId, isError]);
}

/** Returns a hash of the tools, in order, as a provider would see them. */
export function fingerprintOfTools(tools: readonly ToolDescription[]): string {
  return markOf(
    tools.map(({ name, description = "", inputSchema }) => [name, description, inputSchema]),
  );
}

function seenOf(part: Part): unknown[] {
  if (part.type === "text" || part.type === "reasoning") return [part.type, part.text];
  if (part.type === "provider") return [part.provider, part.raw];
  const { type, mimeType, url, data } = part;
  return [type, mimeType, url, data && sha256Hex(data)];
}

function markOf(value: unknown): string {
  return sha256Hex(JSON.stringify(value)).slice(0, 16);
}
