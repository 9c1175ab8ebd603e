import { requiredJsonIn, textIn } from "@ccl/sql";
import type { ProfileSessionKey } from "../ports/profile-session-store.ts";
import type { StoredSession, StoredVersion } from "../ports/session-state.ts";
import { change, keyOf, rowsOf, type Row, type Steps } from "./statement.ts";

/** What a session is known by. */
export function sessionKeyOf({
  chatId,
  branchId,
  profileId,
  operationProfileSessionId,
}: ProfileSessionKey): string {
  return keyOf(chatId, branchId, profileId, operationProfileSessionId);
}

/** What is stored of a version: its value stands in the write. */
type ArtifactRow = Omit<StoredVersion, "value">;

/** The state of sessions: all of it, or that of the tags that are named. */
export function* loadSessions(
  wanted: readonly { sessionKey: string; tag?: string | undefined }[],
): Steps<Map<string, StoredSession>> {
  const sessions = new Map<string, StoredSession>();
  for (const { sessionKey } of wanted) sessions.set(sessionKey, emptySession());
  const whole = wanted.filter(({ tag }) => tag === undefined).map(({ sessionKey }) => [sessionKey]);
  const parts = wanted.flatMap(({ sessionKey, tag }) =>
    tag === undefined ? [] : [[sessionKey, keyOf(tag)]],
  );
  const columns = "session_key, tag_key, artifact";
  const ofSession = yield* rowsOf(
    ({ asked }) =>
      `SELECT ${columns} FROM ${asked} JOIN ccl_operation_versions ON session_key = asked_session`,
    { columns: ["asked_session"], rows: whole },
  );
  const ofTags = yield* rowsOf(
    ({ asked }) => `SELECT ${columns} FROM ${asked}
      JOIN ccl_operation_versions ON session_key = asked_session AND tag_key = asked_tag`,
    { columns: ["asked_session", "asked_tag"], rows: parts },
  );
  for (const row of [...ofSession, ...ofTags]) addVersion(sessions, row);
  return sessions;
}

/** A session of which nothing is known. */
function emptySession(): StoredSession {
  return { tags: new Map(), turns: new Map(), fencingToken: 0 };
}

/** Adds a row with `session_key`, `tag_key` and `artifact` to its session. */
function addVersion(sessions: ReadonlyMap<string, StoredSession>, row: Row): void {
  const session = sessions.get(textIn(row, "session_key"));
  if (session === undefined) return;
  const tag = requiredJsonIn<string>(row, "tag_key");
  const artifact = requiredJsonIn<ArtifactRow>(row, "artifact");
  const stored = session.tags.get(tag) ?? { head: 0, versions: new Map<number, StoredVersion>() };
  session.tags.set(tag, stored);
  stored.versions.set(artifact.version, { ...artifact, value: artifact.write.value });
  stored.head = Math.max(stored.head, artifact.version);
}

/** Adds the turns of sessions to their state, the one opened last at the end. */
export function* loadTurns(sessions: ReadonlyMap<string, StoredSession>): Steps<void> {
  const rows = yield* rowsOf(
    ({ asked }) => `SELECT session_key, turn_key, heads
      FROM ${asked} JOIN ccl_operation_turn_heads ON session_key = asked_session ORDER BY opened`,
    { columns: ["asked_session"], rows: [...sessions.keys()].map((key) => [key]) },
  );
  for (const row of rows) {
    const heads = requiredJsonIn<Record<string, number>>(row, "heads");
    sessions.get(textIn(row, "session_key"))?.turns.set(requiredJsonIn(row, "turn_key"), heads);
  }
}

/** The versions that a session has, to compare with later. */
export function versionsOf(session: StoredSession | undefined): Map<string, StoredVersion> {
  const versions = new Map<string, StoredVersion>();
  for (const [tag, { versions: all }] of session?.tags ?? []) {
    for (const version of all.values()) versions.set(keyOf(tag, String(version.version)), version);
  }
  return versions;
}

/** What has come and gone in a session. */
export interface SessionChange {
  sessionKey: string;
  before: ReadonlyMap<string, StoredVersion>;
  after: ReadonlyMap<string, StoredVersion>;
}

/** Writes what has changed. */
export function* saveChanges(changes: readonly SessionChange[]): Steps<void> {
  const removed = changes.flatMap(({ sessionKey, before, after }) =>
    [...before].flatMap(([key, version]) =>
      after.get(key) === version ? [] : [rowOf(sessionKey, version).slice(0, 3)],
    ),
  );
  const added = changes.flatMap(({ sessionKey, before, after }) =>
    [...after].flatMap(([key, version]) =>
      before.get(key) === version ? [] : [rowOf(sessionKey, version)],
    ),
  );
  yield* change(
    ({ asked }) => `DELETE FROM ccl_operation_versions WHERE (session_key, tag_key, version) IN
      (SELECT asked_session, asked_tag, asked_version FROM ${asked})`,
    { columns: ["asked_session", "asked_tag", "asked_version#"], rows: removed },
  );
  yield* change(
    ({ asked }) => `INSERT INTO ccl_operation_versions (session_key, tag_key, version, artifact)
      SELECT asked_session, asked_tag, asked_version, asked_artifact FROM ${asked}`,
    { columns: ["asked_session", "asked_tag", "asked_version#", "asked_artifact"], rows: added },
  );
}

function rowOf(sessionKey: string, stored: StoredVersion): (string | number)[] {
  return [
    sessionKey,
    keyOf(stored.write.tag),
    stored.version,
    JSON.stringify({ ...stored, value: undefined }),
  ];
}
