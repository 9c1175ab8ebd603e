import type { LanguageModel } from "@ccl/core";

/**
 * How the model is held to the schema: by the provider's decoder, by JSON mode without a schema, or by the prompt
 * alone.
 */
export type StructuredFormat = "json_schema" | "json_object" | "none";

/** Remembers which formats a model's provider refused. */
export interface FormatLadder {
  /** The highest rung that the provider has not refused and the model does not declare as missing. */
  current(model: LanguageModel): Promise<StructuredFormat>;
  /** Remembers a refusal and returns the next rung. Undefined below `none`. */
  stepDown(model: LanguageModel, refused: StructuredFormat): Promise<StructuredFormat | undefined>;
}

/** From the top down. */
const rungs: readonly StructuredFormat[] = ["json_schema", "json_object", "none"];

/** Creates a ladder that remembers in memory. */
export function createFormatLadder(): FormatLadder {
  const reached = new Map<string, StructuredFormat>();
  const current = (model: LanguageModel): StructuredFormat =>
    lowest([reached.get(keyOf(model)), model.capabilities?.structuredOutput]);
  return {
    current: async (model) => current(model),
    async stepDown(model, refused) {
      const next = rungs[rungs.indexOf(refused) + 1];
      if (next === undefined) return undefined;
      // Meanwhile another call may have stepped down further.
      const lower = lowest([current(model), next]);
      reached.set(keyOf(model), lower);
      return lower;
    },
  };
}

function lowest(formats: readonly (StructuredFormat | undefined)[]): StructuredFormat {
  const known = formats.map((format) => (format === undefined ? 0 : rungs.indexOf(format)));
  return rungs[Math.max(0, ...known)] ?? "none";
}

function keyOf({ provider, modelId }: LanguageModel): string {
  return JSON.stringify([provider, modelId]);
}
