import type { ChatMessage, Part, ToolDescription } from "@ccl/core";

import { reasoningTexts } from "./reasoning-texts.ts";

/** A short mark of what a provider would see of a message; equal bytes give equal marks. Not cryptographic. */
export function fingerprintOf(message: ChatMessage): string {
  const hash = new Hash();
  hash.add(message.role);
  if (typeof message.content === "string") hash.add(message.content);
  else for (const part of message.content) addPart(hash, part);
  for (const text of reasoningTexts(message)) hash.add(text);
  for (const call of message.toolCalls ?? []) {
    hash.add(call.id);
    hash.add(call.name);
    hash.add(call.arguments);
  }
  hash.add(message.toolCallId ?? "");
  hash.add(message.isError === true ? "e" : "");
  return hash.digest();
}

/** The mark of the tools as a provider would see them, in their order. */
export function fingerprintOfTools(tools: readonly ToolDescription[]): string {
  const hash = new Hash();
  for (const { name, description, inputSchema } of tools) {
    hash.add(name);
    hash.add(description ?? "");
    hash.add(JSON.stringify(inputSchema));
  }
  return hash.digest();
}

function addPart(hash: Hash, part: Part): void {
  hash.add(part.type);
  if (part.type === "text" || part.type === "reasoning") {
    hash.add(part.text);
    return;
  }
  if (part.type === "provider") {
    hash.add(`${part.provider} ${JSON.stringify(part.raw)}`);
    return;
  }
  hash.add(`${part.mimeType} ${part.url ?? ""} ${part.data?.length ?? ""}`);
  for (const byte of part.data ?? []) hash.addCode(byte);
}

/** Two 32-bit multiplicative hashes (FNV-1a and a relative of it) side by side. */
class Hash {
  #first = 0x811c9dc5;
  #second = 0x41c6ce57;

  add(text: string): void {
    for (let index = 0; index < text.length; index++) this.addCode(text.charCodeAt(index));
    this.addCode(0x1_0000 + (text.length & 0xffff));
  }

  addCode(code: number): void {
    this.#first = Math.imul(this.#first ^ code, 0x01000193);
    this.#second = Math.imul(this.#second ^ code, 0x5f356495);
  }

  digest(): string {
    return (this.#first >>> 0).toString(36) + (this.#second >>> 0).toString(36);
  }
}
