import { randomHex } from "@ccl/core/hash";
import { ArtifactStoreError, type StoreLimits } from "@ccl/artifact-store";
import type { BlobPut, CommitOutcome, DriverWriteOptions } from "@ccl/artifact-store/driver";
import { passingFailure } from "../bucket/s3-failure.ts";
import { commitPuts } from "../commit/commit-puts.ts";
import { sessionPrefix } from "../layout/s3-layout.ts";
import type { S3Context } from "../s3-context.ts";
import { reservationMs, reserve, settleReservation, type Reservation } from "./ledger.ts";
import { makeRoom, type RoomRequest } from "./make-room.ts";

const maxRecounts = 3;

/** Reserves room in the ledger, commits, and ends the reservation. From then on listings count what was committed. */
export async function commitWithinLimits(
  context: S3Context,
  puts: readonly BlobPut[],
  options: DriverWriteOptions & { limits: StoreLimits },
): Promise<CommitOutcome[]> {
  const { limits, now, signal } = options;
  const reservation: Reservation = {
    token: randomHex(16),
    at: context.clock.now(),
    ...announced(puts),
  };
  try {
    await reserve(context, reservation, {
      check: (others) => fit(context, { puts, others, limits, now, signal }),
      signal,
    });
    return await commitPuts(context, puts, { ...options, deadlineMs: reservationMs / 2 });
  } finally {
    await settleReservation(context, reservation.token).catch(() => undefined);
  }
}

/**
 * Makes room until a count finds enough. The listings of a count are read one after the other, so a deletion or
 * collection in between is missed by one count and seen by the next.
 */
async function fit(context: S3Context, request: RoomRequest): Promise<void> {
  for (let round = 0; ; round += 1) {
    const isLast = round === maxRecounts;
    const isToCount = await makeRoom(context, request).catch((error: unknown) => {
      if (isLast || !mayPass(error, request)) throw error;
      return true;
    });
    if (!isToCount) return;
    if (isLast) throw stillFull();
  }
}

function mayPass(error: unknown, { limits }: RoomRequest): boolean {
  return (
    limits.whenFull === "evict" &&
    ArtifactStoreError.isInstance(error) &&
    error.code === "limit_exceeded"
  );
}

function stillFull(): ArtifactStoreError {
  const message =
    "Handles were evicted, but puts under way hold on to their bytes; nothing was stored.";
  return passingFailure(message, "limit_exceeded");
}

function announced(puts: readonly BlobPut[]): Pick<Reservation, "blobs" | "sessions"> {
  const sessions: Record<string, string[]> = {};
  for (const { record, handles } of puts) {
    for (const { sessionId } of handles) {
      if (sessionId === undefined) continue;
      (sessions[sessionPrefix(sessionId)] ??= []).push(record.artifactId);
    }
  }
  return {
    blobs: Object.fromEntries(puts.map(({ record }) => [record.artifactId, record.sizeBytes])),
    sessions,
  };
}
