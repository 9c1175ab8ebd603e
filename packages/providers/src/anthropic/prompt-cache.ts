import { arrayAt, isRecord, type JsonRecord, withoutUndefined } from "@ccl/core/json";

import { marked } from "../wire/anthropic/cache-marks.ts";

const mark = { type: "ephemeral" };

/**
 * The body with a mark at the end of each prefix that the next call is likely to repeat: the system text, or the tools
 * where there is none, and once the model has answered, the last two turns of the user. A single question is not marked,
 * since writing into the cache costs more than reading. As it is where the caller has marked anything.
 */
export function withCacheMarks(body: JsonRecord): JsonRecord {
  if (JSON.stringify(body).includes('"cache_control":')) return body;
  const { system, tools } = body;
  const turns = arrayAt(body, "messages").filter(isRecord);
  const answered = turns.some(({ role }) => role === "assistant");
  const asked = new Set(turns.filter(({ role }) => role === "user").slice(-2));
  return withoutUndefined({
    ...body,
    system: system === undefined ? undefined : markedEnd(system),
    tools: system === undefined && Array.isArray(tools) ? markedEnd(tools) : tools,
    messages: turns.map((turn) =>
      answered && asked.has(turn) ? { ...turn, content: markedEnd(turn["content"]) } : turn,
    ),
  });
}

function markedEnd(content: unknown): unknown {
  if (content === "") return content;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return Array.isArray(blocks) ? marked(blocks.filter(isRecord), mark) : content;
}
