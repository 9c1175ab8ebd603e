import type { OperationArtifact } from "../artifact/operation-artifact.ts";
import { itemsOf, versionAfter, writtenArtifact } from "../artifact/written-artifact.ts";
import type { ChatStore, KeptState, KeptWrite, StoreCall } from "./chat-store.ts";

/** Identifies the state that a profile keeps between runs. The profile's version is not part of the key. */
export interface ProfileSessionKey {
  chatId: string;
  branchId: string;
  profileId: string;
  operationProfileSessionId: string;
}

/** Returns the session of a profile on a branch, as the key of its state. */
export function sessionOf({
  profileId,
  operationProfileSessionId,
}: Omit<ProfileSessionKey, "chatId" | "branchId">): string {
  return JSON.stringify([profileId, operationProfileSessionId]);
}

/** Builds the artifacts of a state, sorted by tag in code units. */
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

/** Returns the writes that lead to the value of a tag. */
function pathOf(
  shown: readonly KeptWrite[],
  head: string | undefined,
  apart: KeptWrite | undefined,
): readonly KeptWrite[] {
  const at = shown.findLastIndex(({ runId }) => runId === head);
  const last = shown[at] ?? apart ?? shown.at(-1);
  // A feed consists of what the displayed answers appended, whichever were displayed when its last item was written.
  if (last?.write.append === true) return shown;
  if (head === undefined) return [];
  if (at >= 0) return shown.slice(0, at + 1);
  // If the turn of `head` was deleted, the value comes from the turns before it.
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
  // In one step, since a feed keeps no previous values.
  const value = feed.flatMap(({ write }) => itemsOf(write.value));
  return after(artifact, { ...last, write: { ...last.write, value } });
}

function after(before: OperationArtifact | undefined, kept: KeptWrite): OperationArtifact {
  const { runId, writtenAt } = kept;
  const next = versionAfter(before, kept.write);
  // Versions increase along the path, even if it contains answers generated in parallel.
  const version = next === before?.version ? next : Math.max(next, kept.version);
  return writtenArtifact(before, kept.write, { runId, writtenAt, version });
}

/**
 * Reads the state of a profile at the start of a turn, that is, of the answer displayed in the previous turn. Without
 * `before`, reads the state for the next turn. A feed contains what all displayed answers appended. Artifacts are
 * sorted by tag in code units.
 */
export async function readState(
  chat: Pick<ChatStore, "keptState">,
  { before, ...key }: ProfileSessionKey & { before?: string | undefined },
  call?: StoreCall,
): Promise<OperationArtifact[]> {
  const { chatId, branchId } = key;
  return foldState(
    await chat.keptState({ chatId, branchId, session: sessionOf(key), before }, call),
  );
}
