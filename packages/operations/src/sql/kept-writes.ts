import { requiredJsonIn, textIn } from "@ccl/sql";

import { maxFeedItems } from "../artifact/written-artifact.ts";
import type { KeptState, KeptWrite } from "../ports/chat-state.ts";
import type { ChatBranch } from "../ports/chat-store.ts";
import { branchKeyOf } from "./branch-rows.ts";
import { change, keyOf, rowsOf, type Row, type SqlValue, type Steps } from "./statement.ts";

/** A write to store with a turn. */
export interface NewWrite {
  branchKey: string;
  userMessageId: string;
  session: string;
  kept: KeptWrite;
}

const columns =
  "branch_key, turn_key, run_key, write_key, place, session_key, tag_key, reach, kept";
const minReach = 64;
const defaultMaxItems = 20;

/** How many writes of the tag are read, counted back from this one. */
function reachOf({ write: { append, retention } }: KeptWrite): number {
  if (append === true) return maxFeedItems;
  return Math.max(minReach, 2 * (retention?.maxItems ?? defaultMaxItems));
}

/** Stores writes. Those that already exist are skipped. */
export function* insertWrites(writes: readonly NewWrite[]): Steps<void> {
  yield* change(
    ({ asked }) => `INSERT INTO ccl_operation_writes (${columns})
      SELECT asked_branch, asked_turn, asked_run, asked_write, asked_place, asked_session, asked_tag, asked_reach, asked_kept
      FROM ${asked} WHERE true ON CONFLICT DO NOTHING`,
    {
      columns: [
        "asked_branch",
        "asked_turn",
        "asked_run",
        "asked_write",
        "asked_place#",
        "asked_session",
        "asked_tag",
        "asked_reach#",
        "asked_kept",
      ],
      rows: writes.map(({ branchKey, userMessageId, session, kept }, index): SqlValue[] => [
        branchKey,
        keyOf(userMessageId),
        keyOf(kept.runId),
        keyOf(kept.hook, kept.operationId),
        // Writes of the hook before the main call come first.
        index + (kept.hook === "before_main_llm" ? 0 : writes.length + 1_000_000),
        keyOf(session),
        keyOf(kept.write.tag),
        reachOf(kept),
        JSON.stringify(kept),
      ]),
    },
  );
}

const keptIn = (row: Row): KeptWrite => requiredJsonIn<KeptWrite>(row, "kept");

const isBefore = `(asked_turn IS NULL OR stored.position < coalesce((SELECT other.position FROM ccl_operation_turns other
  WHERE other.branch_key = asked_branch AND other.turn_key = asked_turn), ${Number.MAX_SAFE_INTEGER}))`;

/** Loads the stored state of a session before a turn. */
export function* loadState({
  session,
  before,
  ...branch
}: ChatBranch & { session: string; before?: string | undefined }): Steps<KeptState> {
  const branchKey = branchKeyOf(branch);
  const asked = {
    columns: ["asked_branch", "asked_session", "asked_turn"],
    rows: [[branchKey, keyOf(session), before === undefined ? null : keyOf(before)]],
  };
  const [last] = yield* rowsOf(
    (parts) => `SELECT stored.state_heads AS heads FROM ${parts.asked}
      JOIN ccl_operation_turns stored ON stored.branch_key = asked_branch AND stored.state_session = asked_session
        AND ${isBefore} ORDER BY stored.position DESC LIMIT 1`,
    asked,
  );
  if (last === undefined) return { heads: {}, shown: [], hidden: [] };
  const heads = requiredJsonIn<KeptState["heads"]>(last, "heads");
  // Reads the texts only of writes that count.
  const rows = yield* rowsOf(
    (parts) => `SELECT read.kept AS kept FROM (
        SELECT stored.branch_key, stored.turn_key, written.run_key, written.write_key, stored.position, written.place,
          row_number() OVER (PARTITION BY written.tag_key ORDER BY stored.position DESC, written.place DESC) AS age
        FROM ${parts.asked} JOIN ccl_operation_turns stored
          ON stored.branch_key = asked_branch AND stored.state_session = asked_session AND ${isBefore}
        JOIN ccl_operation_writes written ON written.branch_key = stored.branch_key AND written.turn_key = stored.turn_key
          AND written.run_key = stored.state_run AND written.session_key = asked_session
      ) page JOIN ccl_operation_writes read ON read.branch_key = page.branch_key AND read.turn_key = page.turn_key
        AND read.run_key = page.run_key AND read.write_key = page.write_key
      WHERE age <= read.reach ORDER BY page.position, page.place`,
    asked,
  );
  const shown = rows.map(keptIn);
  const isShown = new Set(shown.map(({ runId, write }) => keyOf(write.tag, runId)));
  const missing = Object.entries(heads).filter(([tag, runId]) => !isShown.has(keyOf(tag, runId)));
  const hidden = yield* rowsOf(
    (parts) => `SELECT kept FROM ${parts.asked} JOIN ccl_operation_writes
      ON branch_key = asked_branch AND run_key = asked_run AND tag_key = asked_tag ORDER BY place`,
    {
      columns: ["asked_branch", "asked_run", "asked_tag"],
      rows: missing.map(([tag, runId]) => [branchKey, keyOf(runId), keyOf(tag)]),
    },
  );
  return { heads, shown, hidden: hidden.map(keptIn) };
}

/** Loads what a run has written. */
export function* loadWrites(runId: string): Steps<KeptWrite[]> {
  const rows = yield* rowsOf(
    ({ asked }) => `SELECT kept FROM ${asked} JOIN ccl_operation_writes ON run_key = asked_run`,
    { columns: ["asked_run"], rows: [[keyOf(runId)]] },
  );
  return rows.map(keptIn);
}

/** Copies the writes of turns up to a position to another branch, which already has the turns. */
export function* copyWrites(from: string, to: string): Steps<void> {
  yield* change(
    ({ asked }) => `INSERT INTO ccl_operation_writes (${columns})
      SELECT asked_to, ${columns.replace("branch_key, ", "written.").replaceAll(", ", ", written.")}
      FROM ${asked} JOIN ccl_operation_turns stored ON stored.branch_key = asked_to
      JOIN ccl_operation_writes written ON written.branch_key = asked_from AND written.turn_key = stored.turn_key`,
    { columns: ["asked_from", "asked_to"], rows: [[from, to]] },
  );
}

/** A run whose answer is imported into a turn of another branch. */
export interface ImportedRun {
  branch: ChatBranch;
  userMessageId: string;
  runId: string;
}

/** Copies what runs wrote in another branch of the chat. Returns the keys of the runs that wrote something. */
export function* importWrites(runs: readonly ImportedRun[]): Steps<Set<string>> {
  const rows = yield* rowsOf(
    ({ asked }) => `SELECT asked_branch, asked_turn, session_key, kept FROM ${asked}
      JOIN ccl_operation_writes ON run_key = asked_run AND branch_key >= asked_from AND branch_key < asked_to`,
    {
      columns: ["asked_branch", "asked_turn", "asked_run", "asked_from", "asked_to"],
      rows: runs.map(({ branch, userMessageId, runId }) => {
        // The keys of branches begin like that of their chat.
        const chat = keyOf(branch.chatId, "").slice(0, -4);
        return [branchKeyOf(branch), keyOf(userMessageId), keyOf(runId), `${chat},`, `${chat}-`];
      }),
    },
  );
  const writes = rows.map((row): NewWrite => ({
    branchKey: textIn(row, "asked_branch"),
    userMessageId: requiredJsonIn(row, "asked_turn"),
    session: requiredJsonIn(row, "session_key"),
    kept: keptIn(row),
  }));
  yield* insertWrites(writes);
  return new Set(writes.map(({ kept }) => kept.runId));
}
