import type { KeyValue } from "../key-value/key-value.ts";
import { RecordsError } from "../records-error.ts";
import { headOf } from "./plan-write.ts";
import type { Lease, LeaseRequest } from "./records.ts";
import { keyOf } from "./stored-key.ts";
import { sealed } from "./stored-text.ts";

/** Returns the lease, or a result saying that another caller holds it. Undefined if a concurrent write interfered. */
export async function acquireLease(
  database: KeyValue,
  name: string,
  { ttlMs, nowMs, held }: LeaseRequest,
): Promise<{ lease: Lease | undefined } | undefined> {
  if (!(ttlMs >= 0) || !Number.isFinite(nowMs + ttlMs))
    throw new RecordsError("invalid_options", `A lease lasts 0 ms or longer, not ${ttlMs}.`);
  const key = keyOf("lease", name);
  const [text] = await database.get([key]);
  const { version: token, rest } = headOf(key, text, `The lease "${name}"`);
  const isOwn = held !== undefined && held.token === token;
  const isTaken = held === undefined ? text !== undefined && Number(rest) > nowMs : !isOwn;
  if (isTaken) return { lease: undefined };
  const lease = { name, token: isOwn ? token : token + 1, untilMs: nowMs + ttlMs };
  const writes = [[key, sealed(key, `${lease.token} ${lease.untilMs}`)]] as const;
  const isDone = await database.commit({ checks: [[key, text]], writes });
  return isDone ? { lease } : undefined;
}
