import { arrayAt, isRecord, type JsonRecord } from "@ccl/core/json";

/** Removes cache breakpoints from blocks and from the content of tool results. */
export function unmarked(blocks: readonly unknown[]): JsonRecord[] {
  return blocks.filter(isRecord).map((block) => {
    const { cache_control: _, ...bare } = block;
    const isResult = bare["type"] === "tool_result" && Array.isArray(bare["content"]);
    return isResult ? { ...bare, content: unmarked(arrayAt(bare, "content")) } : bare;
  });
}

/** Adds a cache breakpoint to the last block that can carry one. */
export function marked(blocks: readonly JsonRecord[], mark: unknown): JsonRecord[] {
  const last = blocks.findLastIndex(
    ({ type }) => type !== "thinking" && type !== "redacted_thinking",
  );
  return blocks.map((block, index) =>
    index === last && isRecord(mark) ? { ...block, cache_control: mark } : block,
  );
}
