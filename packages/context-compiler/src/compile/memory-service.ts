/** One item found in a memory. */
export interface MemoryHit {
  memoryId: string;
  text: string;
  /** Higher scores are closer to the query. */
  score?: number | undefined;
  source?: string | undefined;
  /** The session event that this hit repeats. If the prompt already shows that event, the hit is left out. */
  eventId?: string | undefined;
}

/** Any searchable memory, such as a vector store, a text file or a search engine. */
export interface MemoryService {
  /**
   * Returns up to `topK` hits, best first. If it fails or is slow, the compile continues without
   * it.
   */
  search(
    query: string,
    options: { topK: number; signal?: AbortSignal | undefined },
  ): Promise<readonly MemoryHit[]>;
}
