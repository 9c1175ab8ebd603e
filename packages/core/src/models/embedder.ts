/** Turns texts into vectors of one fixed length. */
export interface Embedder {
  /** Names the model and its version: vectors of two names must never be compared. */
  name: string;
  dimensions: number;
  /** One vector a text, in the order given. */
  embed(texts: string[], options?: { signal?: AbortSignal | undefined }): Promise<Float32Array[]>;
}
