import { copyJson } from "../artifact/copy-json.ts";
import type {
  ArtifactVersion,
  ArtifactWrite,
  OperationArtifact,
} from "../artifact/operation-artifact.ts";
import { hasSameContent } from "../artifact/same-content.ts";
import { retainHistory } from "../artifact/retain-history.ts";
import type { Hook } from "../operation/operation-definition.ts";
import { OperationsError } from "../operations-error.ts";
import type {
  KeptVersion,
  SessionCommit,
  SessionRevert,
  SessionSnapshot,
  SessionWrite,
  SessionWriteOutcome,
} from "./profile-session-store.ts";

/** A version with its author. */
export interface StoredVersion extends ArtifactVersion {
  hook: Hook;
  operationId: string;
  write: ArtifactWrite;
}

/** The versions of a tag that are kept. */
interface StoredTag {
  head: number;
  versions: Map<number, StoredVersion>;
}

/** The state of a profile between runs, as stores work on it. */
export interface StoredSession {
  tags: Map<string, StoredTag>;
  /** By user message, the one opened last at the end. */
  turns: Map<string, Readonly<Record<string, number>>>;
  fencingToken: number;
}

const keptTurns = 20;
/** A tag with more versions than that is pruned. */
export const prunedFrom: number = 64;

/** Refuses a token that is lower than one that has written. @throws OperationsError `stale_lease` */
export function fence(session: StoredSession, fencingToken: number): void {
  if (fencingToken < session.fencingToken) {
    const message = `The lease with token ${fencingToken} is over: token ${session.fencingToken} has written to the session.`;
    throw new OperationsError("stale_lease", message);
  }
  session.fencingToken = fencingToken;
}

const noHeads: Readonly<Record<string, number>> = Object.freeze({});

/** By tag: the newest version. */
export function headsOf(session: StoredSession): Readonly<Record<string, number>> {
  if (session.tags.size === 0) return noHeads;
  const heads = [...session.tags]
    .filter(([, { head }]) => head > 0)
    .map(([tag, { head }]) => [tag, head]);
  return Object.fromEntries(heads);
}

/** The state at these versions; `turn` is named where one is gone. @throws OperationsError `unknown_turn` */
export function snapshot(
  session: StoredSession,
  at: Readonly<Record<string, number>>,
  turn?: string,
): SessionSnapshot {
  const artifacts: OperationArtifact[] = [];
  for (const tag of Object.keys(at).sort()) {
    const stored = session.tags.get(tag);
    const version = stored?.versions.get(at[tag] ?? 0);
    if (stored === undefined || version === undefined) {
      const message = `The state in which turn ${JSON.stringify(turn)} began is no longer kept.`;
      throw new OperationsError("unknown_turn", message);
    }
    const { write } = version;
    const { persisted, usage, semantics, contentType, inclusion, retention } = write;
    artifacts.push({
      ...publicVersion(version),
      tag,
      persisted,
      usage,
      semantics,
      contentType,
      inclusion,
      retention,
      history: historyOf(stored, version).map(publicVersion),
    });
  }
  return { artifacts, heads: headsOf(session) };
}

/** All versions of all tags. */
export function keptVersions(session: StoredSession): KeptVersion[] {
  return [...session.tags].flatMap(([tag, { versions }]) =>
    [...versions.values()].map((version) => ({ tag, ...publicVersion(version) })),
  );
}

function publicVersion({
  version,
  runId,
  writtenAt,
  value,
  parentVersion,
}: StoredVersion): ArtifactVersion {
  return {
    version,
    runId,
    writtenAt,
    value,
    parentVersion,
  };
}

function historyOf(stored: StoredTag, version: StoredVersion): StoredVersion[] {
  const former: StoredVersion[] = [];
  let parent = stored.versions.get(version.parentVersion ?? 0);
  while (
    parent !== undefined &&
    former.length < (version.write.retention?.maxItems ?? prunedFrom)
  ) {
    former.push(parent);
    parent = stored.versions.get(parent.parentVersion ?? 0);
  }
  const kept = retainHistory(former.reverse(), version.write.retention, version.writtenAt);
  return former.slice(former.length - kept.length);
}

/** Writes in order, or nothing where a required write is in conflict. */
export function commitTo(session: StoredSession, commit: SessionCommit): SessionWriteOutcome[] {
  const planned = commit.writes.map((entry) => planWrite(session, commit, entry));
  const isRefused = planned.some(({ outcome }, index) => {
    return outcome.status === "conflict" && commit.writes[index]?.isRequired === true;
  });
  return planned.map(({ outcome, version }) => {
    if (outcome.status === "conflict" || version === undefined) return outcome;
    if (isRefused) return { operationId: outcome.operationId, status: "discarded" };
    const stored = session.tags.get(version.write.tag) ?? {
      head: 0,
      versions: new Map<number, StoredVersion>(),
    };
    session.tags.set(version.write.tag, stored);
    stored.versions.set(version.version, version);
    stored.head = version.version;
    if (stored.versions.size > prunedFrom) prune(session, version.write.tag);
    return outcome;
  });
}

function planWrite(
  session: StoredSession,
  { runId, hook, writtenAt }: SessionCommit,
  { operationId, write, expectedHead, parentVersion }: SessionWrite,
): { outcome: SessionWriteOutcome; version?: StoredVersion | undefined } {
  const stored = session.tags.get(write.tag);
  for (const version of stored?.versions.values() ?? []) {
    if (version.runId === runId && version.hook === hook && version.operationId === operationId) {
      return {
        outcome: { operationId, status: "written", version: version.version, changed: true },
      };
    }
  }
  const head = stored?.head ?? 0;
  if (head !== expectedHead) return { outcome: { operationId, status: "conflict", head } };
  const current = stored?.versions.get(head);
  if (current !== undefined && parentVersion === head && hasSameContent(current.write, write)) {
    return { outcome: { operationId, status: "written", version: head, changed: false } };
  }
  const copy = copyJson(write.value);
  if (!copy.ok)
    throw new OperationsError("invalid_options", `The value of art.${write.tag} is no JSON.`);
  const version: StoredVersion = {
    version: head + 1,
    runId,
    hook,
    operationId,
    writtenAt,
    value: copy.value,
    write: { ...write, value: copy.value },
    parentVersion,
  };
  return { outcome: { operationId, status: "written", version: head + 1, changed: true }, version };
}

/** Takes back what these operations have written, where it is still the head. */
export function revertIn(
  session: StoredSession,
  { runId, hook, operationIds }: SessionRevert,
): void {
  for (const stored of session.tags.values()) {
    const head = stored.versions.get(stored.head);
    if (head?.runId !== runId || head.hook !== hook || !operationIds.includes(head.operationId))
      continue;
    stored.versions.delete(stored.head);
    stored.head = Math.max(0, ...stored.versions.keys());
  }
}

/** Drops versions that neither the head's history nor a turn that may be run again needs. */
function prune(session: StoredSession, tag: string): void {
  const stored = session.tags.get(tag);
  if (stored === undefined) return;
  const kept = new Set<number>();
  const turns = [...session.turns.values()].slice(-keptTurns);
  for (const at of [stored.head, ...turns.map((heads) => heads[tag] ?? 0)]) {
    const version = stored.versions.get(at);
    if (version === undefined || kept.has(at)) continue;
    kept.add(at);
    for (const former of historyOf(stored, version)) kept.add(former.version);
  }
  for (const version of stored.versions.keys())
    if (!kept.has(version)) stored.versions.delete(version);
}
