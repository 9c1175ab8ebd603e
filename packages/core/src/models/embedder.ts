/** Converts strings to vectors of a fixed length. */
export interface Embedder {
  /**
   * Identifies the model and its version. Never compare vectors from embedders with different
   * names.
   */
  name: string;
  dimensions: number;
  /** Returns one vector per string, in the given order. */
  embed(texts: string[], options?: { signal?: AbortSignal | undefined }): Promise<Float32Array[]>;
}
