import type { ChatMessage } from "@ccl/core";

import { isSafeIntegerBound } from "../schema/wire/wire-rules.ts";
import type { JsonSchema } from "../json-schema/json-schema.ts";

/** Returns a schema's JSON text for a prompt. */
export function schemaText(schema: JsonSchema): string {
  const { $schema: _dialect, ...shown } = schema;
  return JSON.stringify(shown, (key, value: unknown) =>
    isSafeIntegerBound(key, value) ? undefined : value,
  );
}

/**
 * Adds the schema to the conversation, in the last leading system message, because some chat templates reject a second
 * one.
 */
export function withSchemaInstruction(
  messages: readonly ChatMessage[],
  schema: JsonSchema,
): ChatMessage[] {
  const text = [
    "Answer with one JSON value and nothing else: no prose and no code fence. It must fit this JSON Schema:",
    schemaText(schema),
  ].join("\n");
  const isLeading = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  const leading = isLeading === -1 ? messages.length : isLeading;
  const last = messages[leading - 1];
  if (last === undefined) return [{ role: "system", content: text }, ...messages];
  const content =
    typeof last.content === "string"
      ? `${last.content}\n\n${text}`
      : [...last.content, { type: "text" as const, text }];
  return [...messages.slice(0, leading - 1), { ...last, content }, ...messages.slice(leading)];
}
