import { truncateMiddle } from "@ccl/core";
import { valueAt } from "@ccl/core/json";
import { z } from "zod";

import { maxValueChars } from "../artifact/is-larger-than.ts";
import type { OperationEffect } from "../effects/operation-effect.ts";
import { boundedJson } from "./bounded-json.ts";
import { type Kind, type ResultParams, createKind, lookUp, resultShape } from "./kind.ts";
import { OperationError } from "./operation-error.ts";

/** A block that contains text. Text steps leave all other blocks unchanged. */
interface TextBlock {
  type: "text";
  text: string;
}

/** A built-in step that maps text to text. */
type TextStep =
  | { use: "trim" | "collapse_whitespace" | "strip_code_fences" }
  | { use: "replace_text"; find: string; with: string }
  | { use: "truncate"; maxChars: number }
  | { use: "prefix" | "suffix"; text: string };

/** A built-in step that maps the list of blocks. */
type ListStep =
  | { use: "split_paragraphs" | "join_text" }
  | { use: "keep_blocks" | "drop_blocks"; types: string[] };

/** A transform supplied by the application, by name, with any parameters that it reads. */
interface InjectedStep {
  use: `x:${string}`;
  [option: string]: unknown;
}

/** Parameters of the kind `transform`, which runs after the main call. */
export interface TransformParams extends ResultParams {
  /** Steps run in this order, over the blocks of the answer. An answer without blocks counts as one text block. */
  steps: (TextStep | ListStep | InjectedStep)[];
  /**
   * `blocks` replaces the blocks of the answer. `variant` adds their text as a variant of it. Defaults to `blocks`,
   * unless `writeArtifact` or `emit` is given.
   */
  apply?: ("blocks" | "variant")[] | undefined;
  /** Selects the variant. Defaults to true. */
  select?: boolean | undefined;
}

const text = z.string();
const step: z.ZodType<TransformParams["steps"][number]> = z.union([
  z.discriminatedUnion("use", [
    z.strictObject({ use: z.enum(["trim", "collapse_whitespace", "strip_code_fences"]) }),
    z.strictObject({ use: z.enum(["split_paragraphs", "join_text"]) }),
    z.strictObject({ use: z.literal("replace_text"), find: text.min(1).max(1_000), with: text }),
    z.strictObject({ use: z.literal("truncate"), maxChars: z.int().min(1) }),
    z.strictObject({ use: z.enum(["prefix", "suffix"]), text }),
    z.strictObject({ use: z.enum(["keep_blocks", "drop_blocks"]), types: z.array(text).min(1) }),
  ]),
  z.looseObject({ use: z.templateLiteral(["x:", text.min(1).max(100)]) }),
]);

const params: z.ZodType<TransformParams> = z.strictObject({
  steps: z.array(step).min(1).max(100),
  apply: z.exactOptional(z.array(z.enum(["blocks", "variant"]))),
  select: z.exactOptional(z.boolean()),
  ...resultShape,
});

/** Changes the answer. */
export const transformKind: Kind = createKind(
  params,
  ({ transforms }) =>
    async ({ context: { main }, params: given, debug }) => {
      const { writeArtifact, emit, select = true } = given;
      const { apply = writeArtifact === undefined && emit === undefined ? ["blocks"] : [] } = given;
      if (main === undefined)
        throw new OperationError(
          "validation_error",
          "There is no answer to transform yet; put the operation after the main call.",
        );
      let blocks: readonly unknown[] = main.blocks ?? [{ type: "text", text: main.text }];
      for (const step of given.steps) {
        if (!isInjected(step)) blocks = transformed(blocks, step);
        else {
          const name = step.use.slice(2);
          const result: unknown = lookUp("transform", transforms, name)(blocks, step);
          if (!Array.isArray(result))
            throw new OperationError(
              "output_parse_error",
              `The transform ${JSON.stringify(name)} did not return a list of blocks.`,
            );
          blocks = result;
        }
      }
      const { value } = boundedJson(blocks, maxValueChars);
      const done: unknown[] = Array.isArray(value) ? value : [];
      const content = done
        .flatMap((block) => (isTextBlock(block) ? [block.text] : []))
        .join("\n\n");
      Object.assign(debug.outputsSummary, { blocks: done.length, textChars: content.length });
      // The new variant comes first, so that the blocks are added to it.
      const effects: OperationEffect[] = [];
      if (apply.includes("variant"))
        effects.push({ type: "turn.assistant_variant", content, select });
      if (apply.includes("blocks")) effects.push({ type: "turn.assistant_blocks", blocks: done });
      return { value: done, text: content, effects };
    },
);

function isInjected(step: TransformParams["steps"][number]): step is InjectedStep {
  return step.use.startsWith("x:");
}

function isTextBlock(block: unknown): block is TextBlock {
  return valueAt(block, ["type"]) === "text" && typeof valueAt(block, ["text"]) === "string";
}

function transformed(blocks: readonly unknown[], step: TextStep | ListStep): unknown[] {
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
        isTextBlock(block) ? { ...block, text: changedText(block.text, step) } : block,
      );
  }
}

function changedText(text: string, step: TextStep): string {
  switch (step.use) {
    case "trim":
      return text.trim();
    case "collapse_whitespace":
      return text.replaceAll(/\s+/g, " ").trim();
    case "strip_code_fences":
      return text
        .split("\n")
        .filter((line) => !line.trimStart().startsWith("```"))
        .join("\n");
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

const blankLines = /(?:^|\n)\s*(?:\n|$)/;

function paragraphsOf(text: string): string[] {
  return text.split(blankLines).filter((paragraph) => paragraph !== "");
}

/** Joins adjacent text blocks, keeping the fields of the first one. */
function joinedTexts(blocks: readonly unknown[]): unknown[] {
  const joined: unknown[] = [];
  for (const block of blocks) {
    const before = joined.at(-1);
    if (isTextBlock(block) && isTextBlock(before))
      joined.splice(-1, 1, { ...before, text: `${before.text}\n\n${block.text}` });
    else joined.push(block);
  }
  return joined;
}
