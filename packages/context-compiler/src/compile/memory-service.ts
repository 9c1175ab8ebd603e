/** One item of a memory. */
export interface MemoryHit {
  memoryId: string;
  text: string;
  /** A higher score is closer to the query. */
  score?: number | undefined;
  source?: string | undefined;
  /** The session event that this hit repeats. The hit is left out if the prompt shows that event anyway. */
  eventId?: string | undefined;
}

/** Any searchable memory: a vector store, a file of notes, a search engine. */
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
