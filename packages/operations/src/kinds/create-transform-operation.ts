import { z } from "zod";

import type { OperationEffect } from "../effects/operation-effect.ts";
import type { MainResult } from "../operation/operation-context.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import {
  type BlockStep,
  blockStepSchema,
  type BlockTransform,
  textOfBlocks,
  transformBlocks,
} from "./block-transform.ts";
import { boundedJson } from "./bounded-json.ts";
import { maxValueChars } from "../artifact/max-value-chars.ts";
import { OperationError } from "./operation-error.ts";
import { operationErrorOf } from "./operation-error-of.ts";
import { readParams, requireAllowed } from "./read-params.ts";
import {
  resultEffects,
  resultEffectTypes,
  type ResultParams,
  resultShape,
} from "./result-params.ts";
import { createHandler } from "./run-handler.ts";

/** A transform that the application handed in, by name, and whatever it reads of its step. */
interface InjectedStep {
  use: `x:${string}`;
  [option: string]: unknown;
}

/** Parameters of the kind `transform`, which runs after the main call. */
export interface TransformParams extends ResultParams {
  /** One after the other, over the blocks of the answer; an answer without blocks is one block of text. */
  steps: (BlockStep | InjectedStep)[];
  /** `blocks` replaces the blocks of the answer, `variant` makes their text a variant of it; default `blocks` unless `writeArtifact` or `emit` is given. */
  apply?: ("blocks" | "variant")[] | undefined;
  /** Selects the variant; default true. */
  select?: boolean | undefined;
}

const injectedStepSchema: z.ZodType<InjectedStep> = z.looseObject({
  use: z.templateLiteral(["x:", z.string().min(1).max(100)]),
});

/** Checks the parameters of the kind `transform`. */
export const transformParamsSchema: z.ZodType<TransformParams> = z.strictObject({
  steps: z
    .array(z.union([blockStepSchema, injectedStepSchema]))
    .min(1)
    .max(100),
  apply: z.exactOptional(z.array(z.enum(["blocks", "variant"]))),
  select: z.exactOptional(z.boolean()),
  ...resultShape,
});

/** What the kind `transform` takes from the application. */
export interface TransformOperationOptions {
  /** Further transforms by name; a step names one as `x:<name>`. */
  transforms?: Readonly<Record<string, BlockTransform>> | undefined;
}

/** The handler of the kind `transform`. */
export function createTransformOperation({
  transforms = {},
}: TransformOperationOptions = {}): OperationHandler {
  return createHandler(async ({ context, debug }) => {
    const params = readParams(transformParamsSchema, context);
    const hasResult = resultEffectTypes(params).length > 0;
    const { apply: asked = hasResult ? [] : ["blocks"], select = true } = params;
    // A new variant comes first, so that the blocks belong to it.
    const apply = (["variant", "blocks"] as const).filter((target) => asked.includes(target));
    const types = apply.map((target) =>
      target === "blocks" ? "turn.assistant_blocks" : "turn.assistant_variant",
    );
    requireAllowed([...types, ...resultEffectTypes(params)], context);
    let blocks: readonly unknown[] = blocksOf(context.main);
    for (const step of params.steps)
      blocks = isInjected(step)
        ? injected(blocks, step, transforms)
        : transformBlocks(blocks, step);
    const { value } = boundedJson(blocks, maxValueChars);
    const done: readonly unknown[] = Array.isArray(value) ? value : [];
    const text = textOfBlocks(done);
    const effects: OperationEffect[] = apply.map((target) =>
      target === "blocks"
        ? { type: "turn.assistant_blocks", blocks: [...done] }
        : { type: "turn.assistant_variant", content: text, select },
    );
    Object.assign(debug.outputsSummary, { blocks: done.length, textChars: text.length });
    return { effects: [...resultEffects(params, { value: done, text }), ...effects] };
  });
}

function blocksOf(main: MainResult | undefined): readonly unknown[] {
  if (main !== undefined) return main.blocks ?? [{ type: "text", text: main.text }];
  throw new OperationError(
    "validation_error",
    "There is no answer to transform yet; put the operation after the main call.",
  );
}

function isInjected(step: BlockStep | InjectedStep): step is InjectedStep {
  return step.use.startsWith("x:");
}

function injected(
  blocks: readonly unknown[],
  step: InjectedStep,
  transforms: Readonly<Record<string, BlockTransform>>,
): unknown[] {
  const name = step.use.slice(2);
  const transform = Object.hasOwn(transforms, name) ? transforms[name] : undefined;
  if (transform === undefined) {
    throw new OperationError(
      "validation_error",
      `There is no transform ${JSON.stringify(name)}; hand it in, or correct the name.`,
    );
  }
  try {
    const result: unknown = transform(blocks, step);
    if (Array.isArray(result)) return result;
  } catch (error) {
    throw operationErrorOf(error, "internal_error");
  }
  throw new OperationError(
    "output_parse_error",
    `The transform ${JSON.stringify(name)} gave no list of blocks.`,
  );
}
