import type { LanguageModel } from "@ccl/core";

/** How the model is held to the schema: by the provider's decoder, JSON mode without a schema, or the prompt alone. */
export type StructuredFormat = "json_schema" | "json_object" | "none";

/** Remembers which formats a model's provider rejected. */
export interface FormatLadder {
  /** Returns the highest rung that the provider has not rejected and the model does not declare missing. */
  current(model: LanguageModel): StructuredFormat;
  /** Records a rejection and returns the next rung. Undefined below `none`. */
  stepDown(model: LanguageModel, refused: StructuredFormat): StructuredFormat | undefined;
}

/** Highest first. */
const rungs: readonly StructuredFormat[] = ["json_schema", "json_object", "none"];

/** Creates an in-memory ladder. */
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
      // Another call may have stepped down further in the meantime.
      const lower = Math.max(rungOf(model), next);
      reached.set(keyOf(model), lower);
      return rungs[lower];
    },
  };
}

function keyOf({ provider, modelId }: LanguageModel): string {
  return JSON.stringify([provider, modelId]);
}
