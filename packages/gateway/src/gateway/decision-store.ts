import type { Decision } from "../decide/plan-options.ts";

/** Where decisions are kept between requests and restarts. */
export interface DecisionStore {
  /** All of a session, in any order. */
  read(session: string): Promise<readonly Decision[]>;
  /** Resolves once it is kept. */
  add(session: string, decisions: readonly Decision[]): Promise<void>;
}

/** A store that can be rid of sessions that have ended. */
export interface PrunableDecisionStore extends DecisionStore {
  /** When each session had its last decision, by the store's own clock. */
  sessions(): Promise<ReadonlyMap<string, number>>;
  /** Forgets sessions, but for those that have had a decision since that time. */
  forget(sessions: readonly string[], sinceMs: number): Promise<void>;
}

/** Decisions that end with the process. */
export function createMemoryDecisionStore(): DecisionStore {
  const sessions = new Map<string, Decision[]>();
  return {
    read: (session) => Promise.resolve(sessions.get(session) ?? []),
    add: (session, decisions) => {
      sessions.set(session, [...(sessions.get(session) ?? []), ...decisions]);
      return Promise.resolve();
    },
  };
}
