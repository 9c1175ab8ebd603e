/** How many sessions are held. */
interface SessionLimits {
  maxCount: number;
  /** Of all together; a single one may be larger. */
  maxChars: number;
}

/** Sessions by their keys; those that were not used for longest are let go. */
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

  /** Makes it the latest; the others may have grown since the last time. */
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
