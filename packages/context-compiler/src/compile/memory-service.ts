/** One thing that a memory holds. */
export interface MemoryHit {
  memoryId: string;
  text: string;
  /** Higher is nearer to the query. */
  score?: number | undefined;
  source?: string | undefined;
  /** The event of a session that it is: left out where the prompt shows that anyway. */
  eventId?: string | undefined;
}

/** Any memory: a vector store, a file of notes, a search engine. */
export interface MemoryService {
  /** At most `topK` hits, best first. May fail or be slow: a compile then goes on without it. */
  search(
    query: string,
    options: { topK: number; signal?: AbortSignal | undefined },
  ): Promise<readonly MemoryHit[]>;
}
