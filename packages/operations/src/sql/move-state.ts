import { requiredJsonIn, textIn } from "@ccl/sql";
import { isSameJson } from "@ccl/core/json";

import { type KeptWrite, sessionOf, type VariantState } from "../ports/chat-state.ts";
import type { StoredTurn } from "../ports/chat-turn.ts";
import type { RunInput } from "../ports/run-store.ts";
import { saveTurns } from "./change-turns.ts";
import { insertWrites, type NewWrite } from "./kept-writes.ts";
import { keyOf, rowsOf, type Steps } from "./statement.ts";

/** A version as tables before version 4 store it, by session. Its parent is the version that it replaced. */
interface FormerVersion extends KeptWrite {
  parentVersion?: number | undefined;
}

/** A turn, and the versions at its beginning by tag. */
interface FormerTurn {
  turn: StoredTurn;
  heads: Readonly<Record<string, number>> | undefined;
}

/** Moves the states that tables before version 4 store by session to the turns whose runs wrote them. */
export function* moveStates(): Steps<void> {
  const sessions = yield* rowsOf(
    ({ asked }) =>
      `SELECT DISTINCT session_key FROM ${asked} JOIN ccl_operation_versions ON asked_one = 1`,
    { columns: ["asked_one#"], rows: [[1]] },
  );
  for (const row of sessions) yield* moveState(textIn(row, "session_key"));
}

function* moveState(sessionKey: string): Steps<void> {
  const [chatId = "", branchId = "", profileId = "", operationProfileSessionId = ""]: string[] =
    JSON.parse(sessionKey);
  const branchKey = keyOf(chatId, branchId);
  const session = sessionOf({ profileId, operationProfileSessionId });
  const turns = yield* turnsOf(branchKey, sessionKey);
  const inputs = yield* rowsOf(
    ({ asked }) =>
      `SELECT input FROM ${asked} JOIN ccl_operation_runs ON branch_key = asked_branch`,
    { columns: ["asked_branch"], rows: [[branchKey]] },
  );
  const runs = new Map(
    inputs
      .map((row) => requiredJsonIn<RunInput>(row, "input"))
      .map((input) => [input.runId, input]),
  );
  const found = yield* rowsOf(
    ({ asked }) =>
      `SELECT artifact FROM ${asked} JOIN ccl_operation_versions ON session_key = asked_session ORDER BY version`,
    { columns: ["asked_session"], rows: [[sessionKey]] },
  );
  const versions = found.map((row) => requiredJsonIn<FormerVersion>(row, "artifact"));
  const writes: NewWrite[] = [];
  const written = new Map<StoredTurn, FormerVersion[]>();
  for (const version of versions) {
    const known = runs.get(version.runId)?.userMessageId;
    const turn =
      known === undefined
        ? turnThatWrote(version, { turns, versions })
        : turns.find(({ turn: { userMessageId } }) => userMessageId === known)?.turn;
    // The writes of a deleted turn are dropped.
    if (turn === undefined) continue;
    written.set(turn, [...(written.get(turn) ?? []), version]);
    const kept = ownWrite(version, versions);
    writes.push({ branchKey, userMessageId: turn.userMessageId, session, kept });
  }
  for (const { turn, heads = {} } of turns) {
    const own = written.get(turn) ?? [];
    if (own.length > 0) giveStates(turn, { session, own, runs, base: runsOf(heads, versions) });
  }
  yield* insertWrites(writes);
  yield* saveTurns([...written.keys()].map((turn) => ({ branchKey, turn })));
}

function* turnsOf(branchKey: string, sessionKey: string): Steps<FormerTurn[]> {
  const rows = yield* rowsOf(
    ({ asked }) => `SELECT stored.turn AS turn, began.heads AS heads FROM ${asked}
      JOIN ccl_operation_turns stored ON stored.branch_key = asked_branch
      LEFT JOIN ccl_operation_turn_heads began ON began.session_key = asked_session AND began.turn_key = stored.turn_key
      ORDER BY stored.position`,
    { columns: ["asked_branch", "asked_session"], rows: [[branchKey, sessionKey]] },
  );
  return rows.map((row) => ({
    turn: requiredJsonIn<StoredTurn>(row, "turn"),
    heads: row["heads"] === null ? undefined : requiredJsonIn(row, "heads"),
  }));
}

/** The turn that began with the version's parent. Without one, the last turn. */
function turnThatWrote(
  { runId, parentVersion, write: { tag } }: FormerVersion,
  { turns, versions }: { turns: readonly FormerTurn[]; versions: readonly FormerVersion[] },
): StoredTurn | undefined {
  const ofTag = versions.filter((version) => version.write.tag === tag);
  const first = ofTag.find((version) => version.runId === runId);
  const parent = first === undefined ? parentVersion : first.parentVersion;
  return (
    turns.findLast(({ heads }) => heads !== undefined && heads[tag] === parent) ?? turns.at(-1)
  )?.turn;
}

/** What a version added to a feed. A feed's versions contain all of its items. */
function ownWrite(version: FormerVersion, versions: readonly FormerVersion[]): KeptWrite {
  const { parentVersion, ...kept } = version;
  const { value, retention, tag } = kept.write;
  if (!Array.isArray(value) || retention?.maxItems !== 0) return kept;
  const parent = versions.find((one) => one.write.tag === tag && one.version === parentVersion);
  const before: unknown = parent === undefined ? [] : parent.write.value;
  const isLonger = Array.isArray(before) && isSameJson(value.slice(0, before.length), before);
  if (!isLonger) return kept;
  const { retention: _, ...write } = kept.write;
  return { ...kept, write: { ...write, append: true, value: value.slice(before.length) } };
}

function runsOf(
  heads: Readonly<Record<string, number>>,
  versions: readonly FormerVersion[],
): Record<string, string> {
  const entries = Object.entries(heads).flatMap(([tag, version]) =>
    versions
      .filter((one) => one.write.tag === tag && one.version === version)
      .map(({ runId }) => [tag, runId]),
  );
  return Object.fromEntries(entries);
}

interface GivingStates {
  session: string;
  /** What runs of the turn wrote. */
  own: readonly FormerVersion[];
  runs: ReadonlyMap<string, RunInput>;
  base: Readonly<Record<string, string>>;
}

/** Assigns states to answers. Answers whose run is unknown belong to the last runs, in order. */
function giveStates(turn: StoredTurn, { session, own, runs, base }: GivingStates): void {
  const states = new Map<string, VariantState>();
  for (const { runId, write } of own) {
    const heads = { ...(states.get(runId)?.heads ?? base), [write.tag]: runId };
    states.set(runId, { runId, session, heads });
  }
  const isOf = (runId: string, variantId: string): boolean =>
    runs.get(runId)?.assistantVariantId === variantId || variantId.startsWith(`${runId}/`);
  const left: VariantState[] = [];
  for (const state of states.values()) {
    const variants = turn.assistantVariants.filter(({ variantId }) => isOf(state.runId, variantId));
    for (const variant of variants) variant.state = state;
    if (variants.length === 0) left.push(state);
  }
  for (const variant of turn.assistantVariants.toReversed()) variant.state ??= left.pop();
  const unanswered = left.pop();
  if (turn.assistantVariants.length === 0 && unanswered !== undefined) turn.state = unanswered;
}
