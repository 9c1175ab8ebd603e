import type { LanguageModel } from "@ccl/core";

/** How the model is held to the schema: by the provider's decoder, to any JSON, or by the prompt alone. */
export type StructuredFormat = "json_schema" | "json_object" | "none";

/** Keeps the rung of each provider and model, for longer than a process where it writes to disk. */
export interface FormatLadderStore {
  get(key: string): StructuredFormat | undefined | Promise<StructuredFormat | undefined>;
  set(key: string, format: StructuredFormat): void | Promise<void>;
}

/** Remembers which formats a model's provider refused. */
export interface FormatLadder {
  /** The highest rung that was not refused and that the model does not say it lacks. */
  current(model: LanguageModel): Promise<StructuredFormat>;
  /** Remembers a refusal and gives the next rung; undefined below `none`. */
  stepDown(model: LanguageModel, refused: StructuredFormat): Promise<StructuredFormat | undefined>;
}

/** From the top. */
const rungs: readonly StructuredFormat[] = ["json_schema", "json_object", "none"];

/** A ladder over a store; without one it lives in memory. A store may be shared by several ladders. */
export function createFormatLadder(
  options: { store?: FormatLadderStore | undefined } = {},
): FormatLadder {
  const store = options.store ?? createMemoryStore();
  const current = async (model: LanguageModel): Promise<StructuredFormat> =>
    lowest([await store.get(keyOf(model)), model.capabilities?.structuredOutput]);
  return {
    current,
    async stepDown(model, refused) {
      const next = rungs[rungs.indexOf(refused) + 1];
      if (next === undefined) return undefined;
      // Another call may have gone further down meanwhile.
      const reached = lowest([await current(model), next]);
      await store.set(keyOf(model), reached);
      return reached;
    },
  };
}

function createMemoryStore(): FormatLadderStore {
  const formats = new Map<string, StructuredFormat>();
  return { get: (key) => formats.get(key), set: (key, format) => void formats.set(key, format) };
}

function lowest(formats: readonly (StructuredFormat | undefined)[]): StructuredFormat {
  const known = formats.map((format) => (format === undefined ? 0 : rungs.indexOf(format)));
  return rungs[Math.max(0, ...known)] ?? "none";
}

function keyOf({ provider, modelId }: LanguageModel): string {
  return JSON.stringify([provider, modelId]);
}
