import type { ChatBranch, KeptState, KeptWrite } from "../ports/chat-store.ts";
import { type RecordEdit, chatNames, prefixOf } from "./stored-records.ts";
import type { RunWrites, TurnState } from "./turn-records.ts";

/** Reads the stored state of a session before a position. */
export async function readKeptState(
  edit: RecordEdit,
  branch: ChatBranch,
  { session, before }: { session: string; before: number },
): Promise<KeptState> {
  const prefix = prefixOf("state", branch.chatId, branch.branchId);
  const all = await edit.list<TurnState>({ prefix });
  const shownTurns = all.filter(
    ({ position, shown }) => position < before && shown?.session === session,
  );
  const heads = shownTurns.at(-1)?.shown?.heads ?? {};
  // Reads only relevant writes, newest first.
  const seen = new Map<string, number>();
  const wanted = shownTurns.toReversed().flatMap(({ shown, wrote = {}, position }) => {
    const { runId = "" } = shown ?? {};
    const counted = Object.entries(wrote[runId] ?? {}).filter(([tag, reach]) => {
      const age = (seen.get(tag) ?? 0) + 1;
      seen.set(tag, age);
      return age <= reach;
    });
    const tags = new Set(counted.map(([tag]) => tag));
    return counted.length === 0 ? [] : [{ runId, tags, position }];
  });
  const known = new Set(
    wanted.flatMap(({ runId, tags }) => [...tags].map((tag) => idOf(tag, runId))),
  );
  const missing = Object.entries(heads).flatMap(([tag, runId]) => {
    if (known.has(idOf(tag, runId))) return [];
    const at = all.findLast(({ wrote = {} }) => Object.hasOwn(wrote, runId));
    return at === undefined ? [] : [{ runId, tags: new Set([tag]), position: at.position }];
  });
  const parts = [...wanted.reverse(), ...missing];
  const names = parts.map(({ runId, position }) => chatNames.wrote(runId, branch, position));
  const found = await edit.readAll<RunWrites>(names);
  const writesOf = (at: number): KeptWrite[] =>
    (found[at]?.writes ?? []).filter(({ write }) => parts[at]?.tags.has(write.tag));
  const indexes = parts.map((_, at) => at);
  const shown = indexes.slice(0, wanted.length).flatMap(writesOf);
  return { heads, shown, hidden: indexes.slice(wanted.length).flatMap(writesOf) };
}

function idOf(tag: string, runId: string): string {
  return JSON.stringify([tag, runId]);
}
