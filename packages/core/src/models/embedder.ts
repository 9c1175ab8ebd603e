/** Turns texts into vectors of one fixed length. */
export interface Embedder {
  /** Identifies the model and its version. Vectors of different names must never be compared. */
  name: string;
  dimensions: number;
  /** One vector per text, in the given order. */
  embed(texts: string[], options?: { signal?: AbortSignal | undefined }): Promise<Float32Array[]>;
}
