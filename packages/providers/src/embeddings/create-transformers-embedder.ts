import { type Embedder, LanguageModelError } from "@ccl/core";

import { createLocalEmbedder } from "./create-local-embedder.ts";

/** How the vectors of a text's tokens become one; the model's card says which it was trained with. */
type TransformersPooling = "mean" | "cls" | "last_token";

/** Precision of a model's weights, as far as every version of the library has it. */
type TransformersPrecision =
  | "auto"
  | "fp32"
  | "fp16"
  | "q8"
  | "int8"
  | "uint8"
  | "q4"
  | "bnb4"
  | "q4f16";

/** What the adapter reads of a tensor: `dims` is texts by dimensions, `data` the rows one after the other. */
export interface TransformersTensor {
  readonly dims: readonly number[];
  readonly data: ArrayLike<unknown>;
}

/** What the adapter uses of a feature extraction pipeline. */
type TransformersExtractor = (
  texts: string[],
  options: { pooling: TransformersPooling; normalize: boolean },
) => Promise<TransformersTensor>;

/** What the adapter passes to `pipeline` for the model. */
interface TransformersLoadOptions {
  revision: string;
  dtype?: TransformersPrecision | undefined;
}

/** Which model, and the library that loads it. */
export interface TransformersEmbedderOptions {
  /** `pipeline` of `@huggingface/transformers`, or a function round it that adds a device, a cache folder and the like. */
  pipeline: (
    task: "feature-extraction",
    model: string,
    options: TransformersLoadOptions,
  ) => Promise<TransformersExtractor>;
  /** On the hub, or below the library's `env.localModelPath`. */
  model: string;
  /** Length of each vector; an answer of another length is an error. */
  dimensions: number;
  /** Branch, tag or commit, which is part of the embedder's name. Default: `main`. */
  revision?: string | undefined;
  /** The library's default for the device where absent. */
  dtype?: TransformersPrecision | undefined;
  /** Default: `mean`. */
  pooling?: TransformersPooling | undefined;
  /** Most texts in one call of the model. Default: 16. */
  batchSize?: number | undefined;
}

/**
 * An embedder over `@huggingface/transformers`. The first call loads the weights, from the hub or the library's cache or a
 * local folder; a text that is longer than the model's context is cut by the library.
 */
export function createTransformersEmbedder(options: TransformersEmbedderOptions): Embedder {
  const {
    pipeline,
    model,
    dimensions,
    revision = "main",
    dtype,
    pooling = "mean",
    batchSize = 16,
  } = options;
  return createLocalEmbedder({
    name: `transformers/${model}@${revision}/${dtype ?? "default"}/${pooling}/${dimensions}`,
    dimensions,
    batchSize,
    async load() {
      const extract = await pipeline("feature-extraction", model, {
        revision,
        dtype,
      });
      return async (texts) => rowsOf(await extract(texts, { pooling, normalize: true }), model);
    },
  });
}

function rowsOf({ dims, data }: TransformersTensor, model: string): ArrayLike<unknown>[] {
  const [count = 0, width = 0] = dims;
  if (dims.length !== 2 || data.length !== count * width) {
    const message = `${model} gave a tensor of ${dims.join(" x ")} with ${data.length} values, not texts by dimensions.`;
    throw new LanguageModelError("provider_error", message);
  }
  const values = Array.from(data);
  return Array.from({ length: count }, (_, row) => values.slice(row * width, (row + 1) * width));
}
