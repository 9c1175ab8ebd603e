/** Limits on the cached sessions. */
interface SessionLimits {
  maxCount: number;
  /** Limit on all sessions together. A single session may exceed it. */
  maxChars: number;
}

/** An LRU cache of sessions by key. */
export class RecentSessions<Session extends { readonly planner: { readonly chars: number } }> {
  readonly #limits: SessionLimits;
  readonly #sessions = new Map<string, Session>();

  constructor(limits: SessionLimits) {
    this.#limits = limits;
  }

  get(key: string): Session | undefined {
    const session = this.#sessions.get(key);
    if (session !== undefined) this.use(key, session);
    return session;
  }

  /**
   * Marks a session as the last one used, and evicts by size again, since other sessions may have
   * grown.
   */
  use(key: string, session: Session): void {
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    let chars = 0;
    for (const { planner } of this.#sessions.values()) chars += planner.chars;
    for (const [oldest, { planner }] of this.#sessions) {
      const isWithin =
        this.#sessions.size <= this.#limits.maxCount && chars <= this.#limits.maxChars;
      if (isWithin || oldest === key) break;
      this.#sessions.delete(oldest);
      chars -= planner.chars;
    }
  }
}
