import { countBytes } from "../content/count-bytes.ts";
import { memoryKeys } from "./memory-keys.ts";
import type { PlanMemory } from "./plan-memory.ts";

const MAX_BLOCK_BYTES = 2048;

const HEAD = "ENGINEERING_MEMORY (trusted by user; update only when user requests):";
const FOOT =
  "Use ENGINEERING_MEMORY as defaults. If user explicitly asks to change, suggest updating memory and show new JSON.";

/**
 * The block that stands after the system prompt, at most 2 KB in UTF-8; empty for an empty memory. Where it would be
 * longer, whole fields go, the last of the project first, and the block says which.
 */
export function renderMemoryBlock(memory: PlanMemory): string {
  const layers: Record<"user" | "project", Record<string, unknown>> = {
    user: { ...memory.user },
    project: { ...memory.project },
  };
  const present = memoryKeys.filter(({ layer, name }) => layers[layer][name] !== undefined);
  if (present.length === 0) return "";
  for (let kept = present.length; kept > 0; kept -= 1) {
    const fields: Record<string, Record<string, unknown>> = {};
    for (const { layer, name } of present.slice(0, kept))
      (fields[layer] ??= {})[name] = layers[layer][name];
    const omitted = present.slice(kept).map(({ key }) => key);
    const note = omitted.length === 0 ? "" : `Left out for length: ${omitted.join(", ")}.\n`;
    const block = `${HEAD}\n${JSON.stringify(fields)}\n${note}\n${FOOT}`;
    if (countBytes(block) <= MAX_BLOCK_BYTES) return block;
  }
  return `${HEAD}\nLeft out for length: ${present.map(({ key }) => key).join(", ")}.\n\n${FOOT}`;
}
