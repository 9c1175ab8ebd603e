/** The part of an AI SDK call that all versions share. The wrapper passes more. */
export interface AiSdkCall {
  prompt: object[];
  abortSignal?: AbortSignal | undefined;
}

/** The members that the wrapper uses of an AI SDK language model, versions 2 to 4 of its interface. */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(call: AiSdkCall): PromiseLike<object>;
  doStream(call: AiSdkCall): PromiseLike<{ stream: ReadableStream<object> }>;
}

/** The members that the wrapper uses of an AI SDK embedding model, versions 2 and 3 of its interface. */
export interface AiSdkEmbeddingModel {
  readonly provider: string;
  readonly modelId: string;
  readonly maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined;
  doEmbed(call: {
    values: string[];
    abortSignal?: AbortSignal | undefined;
  }): PromiseLike<{ embeddings: number[][] }>;
}
