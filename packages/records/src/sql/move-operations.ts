import {
  jsonIn,
  numberIn,
  requiredJsonIn,
  rowsOf,
  type SqlRow,
  type SqlSteps,
  textIn,
} from "@ccl/sql";

import { descendingId, recordName } from "../records/record-name.ts";
import { moveLog, moveRecords } from "./move-log.ts";

const nameOf = (kind: string, ...ids: string[]): string => recordName(`operations/${kind}`, ...ids);
const digitsOf = (number: number): string => String(number).padStart(16, "0");
const textOf = (value: unknown): string => JSON.stringify(value);

function* moveValues(values: Record<string, unknown>): SqlSteps<void> {
  yield* moveRecords(
    Object.entries(values).map(([name, value]) => ({ name, json: textOf(value) })),
  );
}

/** Migrates runs and chats of operations to the records that its stores use. */
export function* moveOperations(): SqlSteps<void> {
  const branches = new Map<string, Branch>();
  const branchOf = (key: string): Branch => {
    const [chatId = "", branchId = ""]: string[] = JSON.parse(key);
    const known = branches.get(key) ?? { chatId, branchId, token: 0, next: 1, turns: 0 };
    branches.set(key, known);
    return known;
  };
  for (const row of yield* rowsOf("SELECT branch_key, fencing_token FROM ccl_operation_branches"))
    branchOf(textIn(row, "branch_key")).token = numberIn(row, "fencing_token");
  for (const { run_key: key } of yield* rowsOf("SELECT run_key FROM ccl_operation_runs")) {
    const [row] = yield* rowsOf("SELECT * FROM ccl_operation_runs WHERE run_key = ?", String(key));
    if (row === undefined) continue;
    const branch = branchOf(textIn(row, "branch_key"));
    branch.token = Math.max(branch.token, numberIn(row, "fencing_token"));
    if (row["result"] === null) branch.active = requiredJsonIn(row, "run_key");
    yield* moveRun(row);
  }
  const turns =
    "SELECT branch_key, position FROM ccl_operation_turns ORDER BY branch_key, position";
  for (const row of yield* rowsOf(turns)) {
    const branch = branchOf(textIn(row, "branch_key"));
    branch.turns += 1;
    branch.next = numberIn(row, "position") + 1;
    yield* moveTurn(branch, textIn(row, "branch_key"), numberIn(row, "position"));
  }
  for (const branch of branches.values())
    yield* moveValues({ [nameOf("branch", branch.chatId, branch.branchId)]: branch });
}

interface Branch {
  chatId: string;
  branchId: string;
  token: number;
  next: number;
  turns: number;
  active?: string | undefined;
}

interface Input {
  chatId: string;
  branchId: string;
  userMessageId: string;
  trigger: string;
}

function* moveRun(row: SqlRow): SqlSteps<void> {
  const key = textIn(row, "run_key");
  const runId = requiredJsonIn<string>(row, "run_key");
  const { chatId, branchId, userMessageId, trigger } = requiredJsonIn<Input>(row, "input");
  const result = unpacked(row, "result");
  const main: string[] = [];
  const entries: object[] = [];
  const events = "SELECT * FROM ccl_operation_events WHERE run_key = ? ORDER BY first_seq";
  for (const event of yield* rowsOf(events, key)) {
    const bodies = requiredJsonIn<{ type: string }[]>(event, "events");
    const isEnd = (type: string): boolean => type === "run.finished" && result !== undefined;
    const short = bodies.map((body) => (isEnd(body.type) ? { ...body, result: null } : body));
    entries.push({ first: numberIn(event, "first_seq"), events: short });
  }
  const steps: unknown[] = [];
  const select = "SELECT * FROM ccl_operation_steps WHERE run_key = ? ORDER BY position";
  for (const step of yield* rowsOf(select, key)) {
    const stepKey = requiredJsonIn<string>(step, "step_key");
    const isMain = stepKey.startsWith("main_llm/") || stepKey.startsWith("turn_message/");
    steps.push(isMain ? stepKey : unpacked(step, "step"));
    if (!isMain || result !== undefined) continue;
    main.push(stepKey);
    yield* moveValues({ [nameOf("main", runId, stepKey)]: unpacked(step, "step") });
  }
  if (steps.length > 0) entries.push({ steps });
  const log = entries.map((entry) => ({ json: textOf(entry) }));
  if (log.length > 0) yield* moveLog(nameOf("log", runId), log);
  const requests = "SELECT * FROM ccl_operation_requests WHERE run_key = ?";
  const [requested] = yield* rowsOf(requests, key);
  const [, , clientRequestId = ""] =
    requested === undefined ? [] : requiredJsonIn<string[]>(requested, "request_key");
  const keptUntilMs = requested === undefined ? 0 : numberIn(requested, "kept_until");
  const lease = {
    runId,
    owner: requiredJsonIn(row, "lease_owner"),
    fencingToken: numberIn(row, "fencing_token"),
    expiresAtMs: numberIn(row, "expires_at"),
  };
  const endedAt = result === undefined ? undefined : numberIn(row, "ended_at");
  const head = {
    chatId,
    branchId,
    userMessageId,
    trigger,
    lease,
    isHeld: row["is_held"] === 1,
    lastSeq: numberIn(row, "last_seq"),
    lastEpoch: numberIn(row, "last_epoch"),
    entries: entries.length,
    main: main.length > 0 ? main : undefined,
    abort: jsonIn(row, "abort_request"),
    endedAt,
    request: requested && { clientRequestId, keptUntilMs },
  };
  yield* moveValues({
    [nameOf("run", runId)]: head,
    [nameOf("input", runId)]: requiredJsonIn(row, "input"),
    [`operations/newest/${descendingId(runId)}`]: runId,
    [nameOf("of", chatId, branchId, runId)]: runId,
    ...(endedAt === undefined
      ? { [nameOf("open", runId)]: runId }
      : { [nameOf("result", runId)]: result, [nameOf("ended", digitsOf(endedAt), runId)]: runId }),
    ...(requested === undefined
      ? {}
      : {
          [nameOf("request", chatId, branchId, clientRequestId)]: {
            runId,
            payloadHash: textIn(requested, "payload_hash"),
            keptUntilMs,
          },
        }),
  });
}

/** Decodes a value that was stored with its longest text in front, and a mark wherever that text belongs. */
function unpacked(row: SqlRow, column: string): unknown {
  if (row[column] === null) return undefined;
  const [json = "", quoted, ...parts] = textIn(row, column).split("\u0001");
  return JSON.parse(quoted === undefined ? json : json + parts.join(quoted));
}

interface Turn {
  userMessageId: string;
  assistantVariants: { state?: unknown }[];
  selectedAssistant?: number | undefined;
  state?: unknown;
}

function* moveTurn({ chatId, branchId }: Branch, key: string, position: number): SqlSteps<void> {
  const select = "SELECT * FROM ccl_operation_turns WHERE branch_key = ? AND position = ?";
  const [row] = yield* rowsOf(select, key, position);
  if (row === undefined) return;
  const turn = requiredJsonIn<Turn>(row, "turn");
  const { userMessageId, assistantVariants, selectedAssistant, state } = turn;
  const wrote: Record<string, Record<string, number>> = {};
  const writes: Record<string, unknown[]> = {};
  const written = `SELECT * FROM ccl_operation_writes WHERE branch_key = ? AND turn_key = ? ORDER BY place`;
  for (const write of yield* rowsOf(written, key, textIn(row, "turn_key"))) {
    const runId = requiredJsonIn<string>(write, "run_key");
    const reach = { [requiredJsonIn<string>(write, "tag_key")]: numberIn(write, "reach") };
    wrote[runId] = { ...wrote[runId], ...reach };
    writes[runId] = [...(writes[runId] ?? []), requiredJsonIn(write, "kept")];
  }
  const at = digitsOf(position);
  for (const [runId, runWrites] of Object.entries(writes))
    yield* moveValues({
      [nameOf("wrote", runId, chatId, branchId, at)]: { chatId, branchId, writes: runWrites },
    });
  const hasWritten = Object.keys(wrote).length > 0;
  const own = { position, wrote: hasWritten ? wrote : undefined };
  const shown =
    selectedAssistant === undefined ? state : assistantVariants[selectedAssistant]?.state;
  yield* moveValues({
    [nameOf("turn", chatId, branchId, userMessageId)]: { ...turn, ...own },
    [nameOf("place", chatId, branchId, at)]: userMessageId,
    ...(shown === undefined && !hasWritten
      ? {}
      : { [nameOf("state", chatId, branchId, at)]: { ...own, shown } }),
  });
}
