import type { ArtifactWrite, OperationArtifact } from "../artifact/operation-artifact.ts";
import {
  itemsOf,
  versionAfter,
  wholeWrite,
  writtenArtifact,
} from "../artifact/written-artifact.ts";
import type { Hook } from "../operation/operation-definition.ts";

/** What the state of a profile between runs hangs on. The profile's version is no part of it. */
export interface ProfileSessionKey {
  chatId: string;
  branchId: string;
  profileId: string;
  operationProfileSessionId: string;
}

/** A persisted write of an operation, kept with the turn of its run. */
export interface KeptWrite {
  runId: string;
  hook: Hook;
  operationId: string;
  /** Milliseconds since the epoch. */
  writtenAt: number;
  version: number;
  /** As the operation gave it: of one that appends its own items only. */
  write: ArtifactWrite;
}

/** The state with which the run of an answer began, and what it wrote. */
export interface VariantState {
  runId: string;
  /** See `sessionOf`. */
  session: string;
  /** By tag: the run whose write is the value. */
  heads: Readonly<Record<string, string>>;
}

/** What is kept of the state before a turn. */
export interface KeptState {
  /** Of the last turn before it whose shown answer has a state in the session; empty without one. */
  heads: Readonly<Record<string, string>>;
  /**
   * What the runs of shown answers wrote in the session, oldest first: of each tag the newest 64 or more, twice what its
   * retention keeps, and the newest 1,000 of one that appends.
   */
  shown: readonly KeptWrite[];
  /** Other writes that `heads` names, as far as their turns are there. */
  hidden: readonly KeptWrite[];
}

/** Which state of a branch: a session of a profile. */
export function sessionOf({
  profileId,
  operationProfileSessionId,
}: Omit<ProfileSessionKey, "chatId" | "branchId">): string {
  return JSON.stringify([profileId, operationProfileSessionId]);
}

/** The artifacts of a state, in the order of their tags' code units. */
export function foldState({ heads, shown, hidden }: KeptState): OperationArtifact[] {
  const byTag = new Map<string, KeptWrite[]>();
  for (const kept of shown) {
    const { tag } = kept.write;
    const writes = byTag.get(tag);
    if (writes === undefined) byTag.set(tag, [kept]);
    else writes.push(kept);
  }
  const tags = new Set([...byTag.keys(), ...Object.keys(heads)]);
  return [...tags].sort().flatMap((tag) => {
    const head = Object.hasOwn(heads, tag) ? heads[tag] : undefined;
    const apart = hidden.findLast((kept) => kept.runId === head && kept.write.tag === tag);
    return foldTag(pathOf(byTag.get(tag) ?? [], head, apart)) ?? [];
  });
}

/** The writes that lead to the value of a tag. */
function pathOf(
  shown: readonly KeptWrite[],
  head: string | undefined,
  apart: KeptWrite | undefined,
): readonly KeptWrite[] {
  const at = shown.findLastIndex(({ runId }) => runId === head);
  const last = shown[at] ?? apart ?? shown.at(-1);
  // A feed is what the shown answers have added, whatever was shown when the last of them came.
  if (last?.write.append === true) return shown;
  if (head === undefined) return [];
  if (at >= 0) return shown.slice(0, at + 1);
  // A turn that was deleted has left the value of the turns before it.
  return apart === undefined ? shown : [...shown, apart];
}

function foldTag(path: readonly KeptWrite[]): OperationArtifact | undefined {
  let artifact: OperationArtifact | undefined;
  const isFeed = ({ write }: KeptWrite): boolean =>
    write.append === true && write.retention === undefined;
  const feedFrom = path.findLastIndex((kept) => !isFeed(kept)) + 1;
  for (const kept of path.slice(0, feedFrom)) artifact = after(artifact, kept);
  const feed = path.slice(feedFrom);
  const last = feed.at(-1);
  if (last === undefined) return artifact;
  // All at once: no former value of a feed is kept.
  const value = feed.flatMap(({ write }) => itemsOf(write.value));
  return after(artifact, { ...last, write: { ...last.write, value } });
}

function after(before: OperationArtifact | undefined, kept: KeptWrite): OperationArtifact {
  const { runId, writtenAt } = kept;
  const write = wholeWrite(kept.write, before);
  const next = versionAfter(before, write);
  // Versions rise along the path, also where it shows answers that came side by side.
  const version = next === before?.version ? next : Math.max(next, kept.version);
  return writtenArtifact(before, write, { runId, writtenAt, version });
}
