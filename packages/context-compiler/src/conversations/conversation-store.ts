import type { FitState } from "../fit/fit-state.ts";

/** Stores the state of each conversation. A `Map` or a database table can implement it. */
export interface ConversationStore {
  get(conversation: string): FitState | undefined | Promise<FitState | undefined>;
  set(conversation: string, state: FitState): unknown;
}

const maxConversations = 1_000;

/** Creates an in-memory store for the last 1,000 conversations. */
export function recentConversations(): ConversationStore {
  const states = new Map<string, FitState>();
  return {
    get: (conversation) => states.get(conversation),
    set(conversation, state) {
      states.delete(conversation);
      states.set(conversation, state);
      const [oldest] = states.keys();
      if (states.size > maxConversations && oldest !== undefined) states.delete(oldest);
    },
  };
}
