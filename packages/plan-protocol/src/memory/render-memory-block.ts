import { countBytes } from "../content/count-bytes.ts";
import { copyLayers } from "./apply-memory-patch.ts";
import { memoryKeys } from "./memory-keys.ts";
import type { PlanMemory } from "./plan-memory.ts";

const MAX_BLOCK_BYTES = 2048;

const HEAD = "ENGINEERING_MEMORY (trusted by user; update only when user requests):";
const FOOT =
  "Use ENGINEERING_MEMORY as defaults. If user explicitly asks to change, suggest updating memory and show new JSON.";

/**
 * Renders the block that follows the system prompt, limited to 2 KB of UTF-8. Empty for an empty memory. If it would
 * be longer, whole fields are dropped, the project's last one first, and the block says which.
 */
export function renderMemoryBlock(memory: PlanMemory): string {
  const layers = copyLayers(memory);
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
