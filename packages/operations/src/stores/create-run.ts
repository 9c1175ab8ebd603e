import { refuse } from "../operations-error.ts";
import type { NewRun, RunCreation } from "../ports/run-store.ts";
import type { RecordEdit } from "./change-records.ts";
import { leaseOf } from "./lease-runs.ts";
import { chatNames, runNames } from "./record-names.ts";
import { type BranchRecord, newBranch, type RunHead } from "./run-head.ts";
import { addMessage, type TurnRecord } from "./turn-records.ts";

/** Creates a run, reserves its branch and leases the run. */
export async function createRun(
  edit: RecordEdit,
  { input, clientRequest, lease: request }: NewRun,
): Promise<RunCreation> {
  const { runId, chatId, branchId, userMessageId, userMessage, trigger } = input;
  const requestName = clientRequest && runNames.request(input, clientRequest.clientRequestId);
  const branchName = chatNames.branch(input);
  const [branch = newBranch(input), head, turn, known] = await edit.read<
    [BranchRecord, RunHead, TurnRecord, StoredRequest]
  >(
    branchName,
    runNames.head(runId),
    chatNames.turn(input, userMessageId),
    requestName ?? branchName,
  );
  if (clientRequest !== undefined && known !== undefined && known.keptUntilMs > request.nowMs) {
    const isSame = known.payloadHash === clientRequest.payloadHash;
    return { status: isSame ? "duplicate" : "payload_conflict", runId: known.runId };
  }
  if (branch.active !== undefined) return { status: "active", runId: branch.active };
  if (head !== undefined) refuse(`There is a run ${JSON.stringify(runId)} already.`);
  const isNew = turn === undefined && userMessage !== undefined;
  const then = isNew ? addMessage(edit, branch, { userMessageId, content: userMessage }) : branch;
  const next = { ...then, token: branch.token + 1, active: runId };
  const lease = leaseOf({ ...request, runId }, next);
  edit.put(branchName, next);
  const of = { chatId, branchId, userMessageId, trigger, lease };
  const first: RunHead = { ...of, isHeld: true, lastSeq: 0, lastEpoch: 0, entries: 0 };
  if (clientRequest !== undefined) {
    const { clientRequestId, keptUntilMs } = clientRequest;
    first.request = { clientRequestId, keptUntilMs };
  }
  edit.put(runNames.head(runId), first);
  edit.put(runNames.input(runId), { ...input, runId: undefined });
  edit.put(runNames.open(runId), runId);
  edit.put(runNames.newest(runId), runId);
  edit.put(runNames.ofBranch(input, runId), runId);
  if (clientRequest !== undefined && requestName !== undefined) {
    const { payloadHash, keptUntilMs } = clientRequest;
    edit.put(requestName, { runId, payloadHash, keptUntilMs } satisfies StoredRequest);
  }
  return { status: "created", lease };
}

interface StoredRequest {
  runId: string;
  payloadHash: string;
  keptUntilMs: number;
}
