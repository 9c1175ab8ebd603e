import { countBytes } from "../content/count-bytes.ts";
import { flatten, memorySchemas, nest } from "./apply-memory-patch.ts";
import type { PlanMemory } from "./plan-memory.ts";

const MAX_BLOCK_BYTES = 2048;

const HEAD = "ENGINEERING_MEMORY (trusted by user; update only when user requests):";
const FOOT =
  "Use ENGINEERING_MEMORY as defaults. If user explicitly asks to change, suggest updating memory and show new JSON.";

/**
 * Renders the block that follows the system prompt, limited to 2 KB of UTF-8. Empty if the memory is empty. To fit,
 * drops whole fields, starting with the project's last one, and lists them in the block.
 */
export function renderMemoryBlock(memory: PlanMemory): string {
  const fields = flatten(memory);
  const present = Object.keys(memorySchemas).filter((key) => fields[key] !== undefined);
  if (present.length === 0) return "";
  for (let kept = present.length; ; kept -= 1) {
    const shown = nest(Object.fromEntries(present.slice(0, kept).map((key) => [key, fields[key]])));
    const left = present.slice(kept);
    const omitted = left.length === 0 ? "" : `Left out for length: ${left.join(", ")}.\n`;
    const block = `${HEAD}\n${JSON.stringify(shown)}\n${omitted}\n${FOOT}`;
    if (kept === 0 || countBytes(block) <= MAX_BLOCK_BYTES) return block;
  }
}
