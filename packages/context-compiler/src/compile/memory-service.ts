/** One thing that a memory holds. */
export interface MemoryHit {
  memoryId: string;
  text: string;
  /** Higher is nearer to the query. */
  score?: number | undefined;
  source?: string | undefined;
  /** The session event that this hit repeats. The hit is left out if the prompt shows that event anyway. */
  eventId?: string | undefined;
}

/** Any memory: a vector store, a file of notes, a search engine. */
export interface MemoryService {
  /** Up to `topK` hits, best first. May fail or be slow: a compile then continues without it. */
  search(
    query: string,
    options: { topK: number; signal?: AbortSignal | undefined },
  ): Promise<readonly MemoryHit[]>;
}
