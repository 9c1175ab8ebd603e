/** The call fields that all AI SDK versions share. The wrapper passes more. */
export interface AiSdkCall {
  prompt: object[];
  abortSignal?: AbortSignal | undefined;
}

/** The fields of an AI SDK language model (interface versions 2 to 4) that the wrapper uses. */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(call: AiSdkCall): PromiseLike<object>;
  doStream(call: AiSdkCall): PromiseLike<{ stream: ReadableStream<object> }>;
}

/** The fields of an AI SDK embedding model (interface versions 2 and 3) that the wrapper uses. */
export interface AiSdkEmbeddingModel {
  readonly provider: string;
  readonly modelId: string;
  readonly maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined;
  doEmbed(call: {
    values: string[];
    abortSignal?: AbortSignal | undefined;
  }): PromiseLike<{ embeddings: number[][] }>;
}
