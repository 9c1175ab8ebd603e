import type { Decision } from "../decide/plan-options.ts";

/** Where decisions are kept between requests and restarts. */
export interface DecisionStore {
  /** All of a session, in any order. */
  read(session: string): Promise<readonly Decision[]>;
  /** Resolves once it is kept. */
  add(session: string, decisions: readonly Decision[]): Promise<void>;
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
