import { valueAt } from "@ccl/core/json";
import { truncateMiddle } from "@ccl/core";
import { z } from "zod";

/** Turns the blocks of an answer into others. Pure; gets the other parameters of its step. */
export type BlockTransform = (
  blocks: readonly unknown[],
  options: Readonly<Record<string, unknown>>,
) => unknown[];

/** A block that holds text; all others pass through the transforms of texts unchanged. */
interface TextBlock {
  type: "text";
  text: string;
}

/** One step: a transform of ours with its parameters. */
export type BlockStep =
  | { use: "trim" | "collapse_whitespace" | "strip_code_fences" }
  | { use: "split_paragraphs" | "join_text" }
  | { use: "replace_text"; find: string; with: string }
  | { use: "truncate"; maxChars: number }
  | { use: "prefix" | "suffix"; text: string }
  | { use: "keep_blocks" | "drop_blocks"; types: string[] };

const types = z.array(z.string()).min(1);

/** Checks a step of ours. */
export const blockStepSchema: z.ZodType<BlockStep> = z.discriminatedUnion("use", [
  z.strictObject({ use: z.enum(["trim", "collapse_whitespace", "strip_code_fences"]) }),
  z.strictObject({ use: z.enum(["split_paragraphs", "join_text"]) }),
  z.strictObject({
    use: z.literal("replace_text"),
    find: z.string().min(1).max(1_000),
    with: z.string(),
  }),
  z.strictObject({ use: z.literal("truncate"), maxChars: z.int().min(1) }),
  z.strictObject({ use: z.enum(["prefix", "suffix"]), text: z.string() }),
  z.strictObject({ use: z.enum(["keep_blocks", "drop_blocks"]), types }),
]);

/** Runs one step of ours. */
export function transformBlocks(blocks: readonly unknown[], step: BlockStep): unknown[] {
  switch (step.use) {
    case "keep_blocks":
    case "drop_blocks":
      return blocks.filter(
        (block) =>
          step.types.includes(String(valueAt(block, ["type"]))) === (step.use === "keep_blocks"),
      );
    case "split_paragraphs":
      return blocks.flatMap((block) =>
        isTextBlock(block) ? paragraphsOf(block.text).map((text) => ({ ...block, text })) : [block],
      );
    case "join_text":
      return joinedTexts(blocks);
    default:
      return blocks.map((block) =>
        isTextBlock(block) ? { ...block, text: transformText(block.text, step) } : block,
      );
  }
}

/** True for a block of text. */
function isTextBlock(block: unknown): block is TextBlock {
  return valueAt(block, ["type"]) === "text" && typeof valueAt(block, ["text"]) === "string";
}

/** The text of blocks: that of text blocks, with an empty line between. */
export function textOfBlocks(blocks: readonly unknown[]): string {
  return blocks.flatMap((block) => (isTextBlock(block) ? [block.text] : [])).join("\n\n");
}

function transformText(
  text: string,
  step: Exclude<
    BlockStep,
    { use: "keep_blocks" | "drop_blocks" } | { use: "split_paragraphs" | "join_text" }
  >,
): string {
  switch (step.use) {
    case "trim":
      return text.trim();
    case "collapse_whitespace":
      return text.replaceAll(/\s+/g, " ").trim();
    case "strip_code_fences":
      return withoutFences(text);
    case "replace_text":
      return text.replaceAll(step.find, () => step.with);
    case "truncate":
      return truncateMiddle(text, { maxChars: step.maxChars }).text;
    case "prefix":
      return step.text + text;
    case "suffix":
      return text + step.text;
  }
}

function paragraphsOf(text: string): string[] {
  const paragraphs: string[] = [];
  let lines: string[] = [];
  for (const line of [...text.split("\n"), ""]) {
    if (line.trim() !== "") lines.push(line);
    else if (lines.length > 0) {
      paragraphs.push(lines.join("\n"));
      lines = [];
    }
  }
  return paragraphs;
}

function withoutFences(text: string): string {
  return text
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("```"))
    .join("\n");
}

/** Neighbouring text blocks as one; the fields of the first are kept. */
function joinedTexts(blocks: readonly unknown[]): unknown[] {
  const joined: unknown[] = [];
  for (const block of blocks) {
    const before = joined.at(-1);
    if (isTextBlock(block) && isTextBlock(before)) {
      joined[joined.length - 1] = { ...before, text: `${before.text}\n\n${block.text}` };
    } else joined.push(block);
  }
  return joined;
}
