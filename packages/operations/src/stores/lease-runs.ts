import type { LeaseRenewal, LeaseRequest, RunLease } from "../ports/run-store.ts";
import {
  type BranchRecord,
  type RecordEdit,
  chatNames,
  findHead,
  newBranch,
  readHead,
  runNames,
} from "./stored-records.ts";

/** Returns undefined if the run has ended or is leased. */
export async function acquireLease(
  edit: RecordEdit,
  request: LeaseRequest & { runId: string },
): Promise<RunLease | undefined> {
  const { runId, nowMs } = request;
  const head = await readHead(edit, runId);
  const isHeld = head.isHeld && head.lease.expiresAtMs > nowMs;
  if (head.endedAt !== undefined || isHeld) return undefined;
  const name = chatNames.branch(head);
  const [branch = newBranch(head)] = await edit.read<[BranchRecord]>(name);
  const next = { ...branch, token: branch.token + 1 };
  const lease = leaseOf(request, next);
  edit.put(name, next);
  edit.put(runNames.head(runId), { ...head, lease, isHeld: true });
  return lease;
}

/** Creates a lease with the branch's token. */
export function leaseOf(
  { runId, owner, ttlMs, nowMs }: LeaseRequest & { runId: string },
  { token }: BranchRecord,
): RunLease {
  return { runId, owner, fencingToken: token, expiresAtMs: nowMs + ttlMs };
}

/** Renews a lease if it is the last one granted. */
export async function renewLease(
  edit: RecordEdit,
  lease: RunLease,
  { ttlMs, nowMs }: Omit<LeaseRequest, "owner">,
): Promise<LeaseRenewal> {
  const head = await findHead(edit, lease.runId);
  if (head?.lease.fencingToken !== lease.fencingToken || head.endedAt !== undefined)
    return { status: "lost" };
  const renewed = { ...lease, expiresAtMs: nowMs + ttlMs };
  edit.put(runNames.head(lease.runId), { ...head, lease: renewed, isHeld: true });
  return { status: "renewed", lease: renewed, abort: head.abort };
}

/** Frees the run, unless the lease was lost. */
export async function releaseLease(edit: RecordEdit, lease: RunLease): Promise<void> {
  const head = await findHead(edit, lease.runId);
  if (head?.lease.fencingToken === lease.fencingToken)
    edit.put(runNames.head(lease.runId), { ...head, isHeld: false });
}
