import type { ChatMessage } from "@ccl/core";
import { isSameJson } from "@ccl/core/json";

/** True if the messages look the same to a provider. They may be different objects. */
export function isSameMessage(one: ChatMessage, other: ChatMessage): boolean {
  return one === other || isSameJson(sentFields(one), sentFields(other));
}

function sentFields({ id: _id, source: _source, ...fields }: ChatMessage): object {
  return fields;
}
