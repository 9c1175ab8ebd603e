import { isRecord } from "@ccl/core/json";
import type { ChatMessage } from "@ccl/core";

const nothing: readonly string[] = [];

/**
 * Returns the reasoning that adapters send in addition to its text: the blocks in
 * `providerMetadata.<provider>.reasoning`, and the signatures and encrypted data of reasoning
 * parts.
 */
export function reasoningTexts({ content, providerMetadata }: ChatMessage): readonly string[] {
  if (providerMetadata === undefined && typeof content === "string") return nothing;
  const blocks = Object.values(providerMetadata ?? {}).flatMap((fields) =>
    isRecord(fields) && Array.isArray(fields["reasoning"]) ? fields["reasoning"] : [],
  );
  const texts = textsIn(blocks);
  for (const part of typeof content === "string" ? [] : content) {
    if (part.type !== "reasoning") continue;
    if (part.signature !== undefined) texts.push(part.signature);
    texts.push(...textsIn(Object.values(part.providerMetadata ?? {})));
  }
  return texts;
}

/** Returns the message without those blocks, or the same object if it has none. */
export function withoutReasoning(message: ChatMessage): ChatMessage {
  const providers = Object.entries(message.providerMetadata ?? {});
  if (!providers.some(([, fields]) => isRecord(fields) && "reasoning" in fields)) return message;
  const entries = providers.map(([provider, fields]) => {
    if (!isRecord(fields) || !("reasoning" in fields)) return [provider, fields];
    const { reasoning: _, ...others } = fields;
    return [provider, others];
  });
  return { ...message, providerMetadata: Object.fromEntries(entries) };
}

function textsIn(records: readonly unknown[]): string[] {
  return records
    .filter(isRecord)
    .flatMap((record) => Object.values(record).filter((text) => typeof text === "string"));
}
