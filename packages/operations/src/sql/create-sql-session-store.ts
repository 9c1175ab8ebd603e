import type {
  KeptVersion,
  ProfileSessionKey,
  ProfileSessionStore,
  SessionCommit,
  SessionRevert,
  SessionSnapshot,
  SessionWriteOutcome,
} from "../ports/profile-session-store.ts";
import {
  commitTo,
  headsOf,
  keptVersions,
  prunedFrom,
  revertIn,
  snapshot,
  type StoredSession,
} from "../ports/session-state.ts";
import type { OperationsError } from "../operations-error.ts";
import { findStale } from "./lock-writers.ts";
import type { Batch } from "./group-commit.ts";
import { guarded } from "./guarded.ts";
import { openBatch } from "./open-turns.ts";
import {
  loadSessions,
  loadTurns,
  saveChanges,
  sessionKeyOf,
  versionsOf,
  type SessionChange,
} from "./session-rows.ts";
import type { SqlDatabase } from "./sql-database.ts";
import type { Steps } from "./statement.ts";

/** State of profiles in a database. */
export function createSqlSessionStore(database: SqlDatabase): ProfileSessionStore {
  const open = database.writer("sessions", openBatch);
  const commit = database.writer("sessions", commitBatch);
  const revert = database.writer("sessions", revertBatch);
  return {
    read: (key, call) => database.read(() => readSession(sessionKeyOf(key)), call),
    versions: (key, call) => database.read(() => readVersions(sessionKeyOf(key)), call),
    openTurn: (key, { userMessageId }, call) => open({ key, userMessageId }, call),
    commit: (writes, call) => commit(writes, call),
    async revert(request, call) {
      await revert(request, call);
    },
  };
}

function* readSession(sessionKey: string): Steps<SessionSnapshot> {
  const session = (yield* loadSessions([{ sessionKey }])).get(sessionKey);
  return session === undefined ? { artifacts: [], heads: {} } : snapshot(session, headsOf(session));
}

function* readVersions(sessionKey: string): Steps<KeptVersion[]> {
  return [...(yield* loadSessions([{ sessionKey }])).values()].flatMap(keptVersions);
}

const commitBatch: Batch<SessionCommit, SessionWriteOutcome[]> = {
  keyOf: ({ key }) => sessionKeyOf(key),
  *steps(commits) {
    const stale = yield* staleOf(commits);
    const sessions = yield* loadSessions(
      commits.flatMap(({ key, writes }) =>
        writes.map(({ write: { tag } }) => ({ sessionKey: sessionKeyOf(key), tag })),
      ),
    );
    // Which versions a long history may drop hangs on the turns that may be run again.
    yield* loadTurns(new Map([...sessions].filter(([, session]) => isLong(session))));
    const changes: SessionChange[] = [];
    const outcomes = commits.map((commit, index) => {
      const sessionKey = sessionKeyOf(commit.key);
      const session = sessions.get(sessionKey);
      if (session === undefined) return stale[index] ?? [];
      const before = versionsOf(session);
      const outcome = stale[index] ?? guarded(() => commitTo(session, commit));
      if (Array.isArray(outcome)) changes.push({ sessionKey, before, after: versionsOf(session) });
      return outcome;
    });
    yield* saveChanges(changes);
    return outcomes;
  },
};

const isLong = ({ tags }: StoredSession): boolean =>
  [...tags.values()].some(({ versions }) => versions.size >= prunedFrom);

const revertBatch: Batch<SessionRevert, true> = {
  keyOf: ({ key }) => sessionKeyOf(key),
  *steps(reverts) {
    const stale = yield* staleOf(reverts);
    const sessions = yield* loadSessions(
      reverts.map(({ key }) => ({ sessionKey: sessionKeyOf(key) })),
    );
    const changes = reverts.flatMap((revert, index): SessionChange[] => {
      const sessionKey = sessionKeyOf(revert.key);
      const session = sessions.get(sessionKey);
      if (session === undefined || stale[index] !== undefined) return [];
      const before = versionsOf(session);
      revertIn(session, revert);
      return [{ sessionKey, before, after: versionsOf(session) }];
    });
    yield* saveChanges(changes);
    return reverts.map((_, index) => stale[index] ?? true);
  },
};

function staleOf(
  writers: readonly { key: ProfileSessionKey; runId: string; fencingToken: number }[],
): Steps<(OperationsError | undefined)[]> {
  return findStale(
    "session",
    writers.map(({ key, runId, fencingToken }) => ({
      key: sessionKeyOf(key),
      runId,
      fencingToken,
    })),
  );
}
