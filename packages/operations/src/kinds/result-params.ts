import { z } from "zod";

import type { ArtifactWrite } from "../artifact/operation-artifact.ts";
import {
  contentTypeShape,
  emitShape,
  inclusionShape,
  retentionShape,
} from "../effects/effect-shape.ts";
import type { EmittedEffect, OperationEffect } from "../effects/operation-effect.ts";
import { tagPattern } from "../artifact/tag-pattern.ts";

/** Where an operation writes its result: an artifact without its value. */
export type WriteArtifactParams = Omit<ArtifactWrite, "value" | "expectedVersion">;

/** What becomes of a result. */
export interface ResultParams {
  /** Keeps the value as `art.<tag>`. */
  writeArtifact?: WriteArtifactParams | undefined;
  /** Effects with the text of the result as their content. */
  emit?: EmittedEffect[] | undefined;
}

/** Checks `writeArtifact`: history is of persisted values only. */
export const writeArtifactSchema: z.ZodType<WriteArtifactParams> = z
  .strictObject({
    tag: z.string().regex(tagPattern),
    persisted: z.boolean(),
    usage: z.enum(["prompt_only", "ui_only", "prompt+ui", "internal"]),
    semantics: z.string().min(1).max(100),
    contentType: z.exactOptional(contentTypeShape),
    append: z.exactOptional(z.boolean()),
    retention: z.exactOptional(retentionShape),
    inclusion: z.exactOptional(inclusionShape),
  })
  .refine(({ persisted, retention: kept }) => persisted || kept === undefined, {
    message:
      "A run_only artifact (persisted: false) has no history; leave retention out or persist it",
    path: ["retention"],
  });

/** The parameters of every kind that makes a result. */
export const resultShape: {
  writeArtifact: z.ZodExactOptional<typeof writeArtifactSchema>;
  emit: z.ZodExactOptional<typeof emitShape>;
} = { writeArtifact: z.exactOptional(writeArtifactSchema), emit: z.exactOptional(emitShape) };

/** The effects of a result: its value under the tag, its text as the content of each `emit`. */
export function resultEffects(
  { writeArtifact, emit = [] }: ResultParams,
  { value, text }: { value: unknown; text: string },
): OperationEffect[] {
  const effects: OperationEffect[] = emit.map((effect) => ({ ...effect, content: text }));
  if (writeArtifact !== undefined)
    effects.unshift({ type: "artifact.upsert", ...writeArtifact, value });
  return effects;
}

/** The types of the effects that a result will have. */
export function resultEffectTypes({ writeArtifact, emit = [] }: ResultParams): string[] {
  return [
    ...(writeArtifact === undefined ? [] : ["artifact.upsert"]),
    ...emit.map(({ type }) => type),
  ];
}
