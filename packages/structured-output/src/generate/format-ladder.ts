import type { LanguageModel } from "@ccl/core";

/**
 * How the model is held to the schema: by the provider's decoder, by JSON mode without a schema, or by the prompt
 * alone.
 */
export type StructuredFormat = "json_schema" | "json_object" | "none";

/** Remembers which formats a model's provider refused. */
export interface FormatLadder {
  /** The highest rung that the provider has not refused and the model does not declare as missing. */
  current(model: LanguageModel): StructuredFormat;
  /** Remembers a refusal and returns the next rung. Undefined below `none`. */
  stepDown(model: LanguageModel, refused: StructuredFormat): StructuredFormat | undefined;
}

/** From the top down. */
const rungs: readonly StructuredFormat[] = ["json_schema", "json_object", "none"];

/** Creates a ladder that remembers in memory. */
export function createFormatLadder(): FormatLadder {
  const reached = new Map<string, number>();
  const rungOf = (model: LanguageModel): number => {
    const declared = rungs.indexOf(model.capabilities?.structuredOutput ?? "json_schema");
    return Math.max(declared, reached.get(keyOf(model)) ?? 0);
  };
  return {
    current: (model) => rungs[rungOf(model)] ?? "none",
    stepDown(model, refused) {
      const next = rungs.indexOf(refused) + 1;
      if (next === rungs.length) return undefined;
      // Meanwhile another call may have stepped down further.
      const lower = Math.max(rungOf(model), next);
      reached.set(keyOf(model), lower);
      return rungs[lower];
    },
  };
}

function keyOf({ provider, modelId }: LanguageModel): string {
  return JSON.stringify([provider, modelId]);
}
