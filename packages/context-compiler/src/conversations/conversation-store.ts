import type { FitState } from "../fit/fit-state.ts";

/** Keeps the state of each conversation. A `Map` is one, and a database table can be one. */
export interface ConversationStore {
  get(conversation: string): FitState | undefined | Promise<FitState | undefined>;
  set(conversation: string, state: FitState): unknown;
}

const maxConversations = 1_000;

/** Creates an in-memory store of the last 1,000 conversations. */
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
