import { randomUUID } from "node:crypto";
import { ArtifactStoreError, type StoreLimits } from "@ccl/artifact-store";
import type { BlobPut, CommitOutcome, DriverWriteOptions } from "@ccl/artifact-store/driver";
import { commitPuts } from "../commit/commit-puts.ts";
import { sessionPrefix } from "../layout/s3-layout.ts";
import type { S3Context } from "../s3-context.ts";
import { reservationMs, reserve, settleReservation, type Reservation } from "./ledger.ts";
import { makeRoom } from "./make-room.ts";

const maxEvictions = 3;

/** Reserves room in the ledger, commits, and ends the reservation; what was committed is counted by listing it from then on. */
export async function commitWithinLimits(
  context: S3Context,
  puts: readonly BlobPut[],
  options: DriverWriteOptions & { limits: StoreLimits },
): Promise<CommitOutcome[]> {
  const { limits, now, signal } = options;
  const reservation: Reservation = { token: randomUUID(), at: context.clock.now(), ...announced(puts) };
  try {
    await reserve(context, reservation, {
      check: async (others) => {
        const request = { puts, others, limits, now, signal };
        for (let round = 0; await makeRoom(context, request); round += 1) {
          if (round === maxEvictions) throw stillFull();
        }
      },
      signal,
    });
    return await commitPuts(context, puts, { ...options, deadlineMs: reservationMs / 2 });
  } finally {
    await settleReservation(context, reservation.token).catch(() => undefined);
  }
}

function stillFull(): ArtifactStoreError {
  const message = "Handles were evicted, but puts under way hold on to their bytes; nothing was stored.";
  return new ArtifactStoreError("limit_exceeded", message, { details: { isRetryable: true } });
}

function announced(puts: readonly BlobPut[]): Pick<Reservation, "blobs" | "sessions"> {
  const sessions: Record<string, string[]> = {};
  for (const { record, handles } of puts) {
    for (const { sessionId } of handles) {
      if (sessionId === undefined) continue;
      (sessions[sessionPrefix(sessionId)] ??= []).push(record.artifactId);
    }
  }
  return { blobs: Object.fromEntries(puts.map(({ record }) => [record.artifactId, record.sizeBytes])), sessions };
}
