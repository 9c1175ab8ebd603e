import { type Embedder, LanguageModelError } from "@ccl/core";

import { createLocalEmbedder } from "./create-local-embedder.ts";

/** How to combine token vectors into one vector. The model card says which method the model was trained with. */
type TransformersPooling = "mean" | "cls" | "last_token";

/** Precision of the weights. Contains only values that every version of the library supports. */
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

/** The tensor fields that the adapter reads. `dims` is [texts, dimensions]. `data` holds the rows in sequence. */
export interface TransformersTensor {
  readonly dims: readonly number[];
  readonly data: ArrayLike<unknown>;
}

/** The part of a feature-extraction pipeline that the adapter uses. */
type TransformersExtractor = (
  texts: string[],
  options: { pooling: TransformersPooling; normalize: boolean },
) => Promise<TransformersTensor>;

/** The `pipeline` options that the adapter sets. */
interface TransformersLoadOptions {
  revision: string;
  dtype?: TransformersPrecision | undefined;
}

/** Options of `createTransformersEmbedder`. */
export interface TransformersEmbedderOptions {
  /** `pipeline` from `@huggingface/transformers`, or a wrapper that sets a device or cache folder. */
  pipeline: (
    task: "feature-extraction",
    model: string,
    options: TransformersLoadOptions,
  ) => Promise<TransformersExtractor>;
  /** A model name on the hub, or a path below the library's `env.localModelPath`. */
  model: string;
  /** Length of each vector. The embedder rejects vectors of any other length. */
  dimensions: number;
  /** Branch, tag or commit. Part of the embedder's name. Default: `main`. */
  revision?: string | undefined;
  /** Default: the library's default for the device. */
  dtype?: TransformersPrecision | undefined;
  /** Default: `mean`. */
  pooling?: TransformersPooling | undefined;
  /** Maximum number of texts per model call. Default: 16. */
  batchSize?: number | undefined;
}

/**
 * Creates an embedder for `@huggingface/transformers`. The first call loads the weights from the hub, the library's
 * cache or a local folder. The library truncates text that exceeds the model's context.
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
    const message = `${model} returned a tensor of ${dims.join(" x ")} with ${data.length} values; expected texts x dimensions.`;
    throw new LanguageModelError("provider_error", message);
  }
  const values = Array.from(data);
  return Array.from({ length: count }, (_, row) => values.slice(row * width, (row + 1) * width));
}
