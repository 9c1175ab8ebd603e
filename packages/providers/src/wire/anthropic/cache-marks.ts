import { isRecord, type JsonRecord } from "@ccl/core/json";

/** Without the marks of the blocks and of what stands in results. */
export function unmarked(blocks: readonly unknown[]): JsonRecord[] {
  return blocks.filter(isRecord).map((block) => {
    const { cache_control: _, ...bare } = block;
    const isResult = bare["type"] === "tool_result" && Array.isArray(bare["content"]);
    return isResult ? { ...bare, content: unmarked(listIn(bare)) } : bare;
  });
}

function listIn({ content }: JsonRecord): unknown[] {
  return Array.isArray(content) ? content : [];
}

/** With the mark on the last block that the API lets carry one. */
export function marked(blocks: readonly JsonRecord[], mark: unknown): JsonRecord[] {
  const last = blocks.findLastIndex(
    ({ type }) => type !== "thinking" && type !== "redacted_thinking",
  );
  return blocks.map((block, index) =>
    index === last && isRecord(mark) ? { ...block, cache_control: mark } : block,
  );
}
