import { throwIfAborted } from "@ccl/core/async";

import { OperationsError } from "../operations-error.ts";
import type { ProfileSessionKey, ProfileSessionStore } from "./profile-session-store.ts";
import {
  commitTo,
  fence,
  headsOf,
  keptVersions,
  revertIn,
  snapshot,
  type StoredSession,
} from "./session-state.ts";

/** Session state in memory, gone with the process. */
export function createMemoryProfileSessionStore(): ProfileSessionStore {
  const sessions = new Map<string, StoredSession>();
  const sessionOf = (key: ProfileSessionKey): StoredSession => {
    const name = JSON.stringify([
      key.chatId,
      key.branchId,
      key.profileId,
      key.operationProfileSessionId,
    ]);
    const known = sessions.get(name);
    if (known !== undefined) return known;
    const session: StoredSession = { tags: new Map(), turns: new Map(), fencingToken: 0 };
    sessions.set(name, session);
    return session;
  };
  return {
    async read(key, options) {
      throwIfAborted(options?.signal, OperationsError);
      const session = sessionOf(key);
      return snapshot(session, headsOf(session));
    },
    async openTurn(key, { userMessageId }, options) {
      throwIfAborted(options?.signal, OperationsError);
      const session = sessionOf(key);
      const heads = session.turns.get(userMessageId) ?? headsOf(session);
      const opened = snapshot(session, heads, userMessageId);
      session.turns.delete(userMessageId);
      session.turns.set(userMessageId, heads);
      return opened;
    },
    async versions(key, options) {
      throwIfAborted(options?.signal, OperationsError);
      return keptVersions(sessionOf(key));
    },
    async commit(commit, options) {
      throwIfAborted(options?.signal, OperationsError);
      const session = sessionOf(commit.key);
      fence(session, commit.fencingToken);
      return commitTo(session, commit);
    },
    async revert(revert, options) {
      throwIfAborted(options?.signal, OperationsError);
      const session = sessionOf(revert.key);
      fence(session, revert.fencingToken);
      revertIn(session, revert);
    },
  };
}
