import { isRecord, parseJson } from "@ccl/core/json";
import { canonicalJson } from "@ccl/core";
import { ArtifactStoreError } from "@ccl/artifact-store";
import { pauseBeforeRetry } from "../bucket/pause-before-retry.ts";
import { passingFailure } from "../bucket/s3-failure.ts";
import { readObject } from "../bucket/read-object.ts";
import { cleanupSignal, type S3Context } from "../s3-context.ts";

/** Bytes that a put under limits is about to add, announced in advance. */
export interface Reservation {
  token: string;
  /** Time by the store's clock. The reservation expires `reservationMs` later. */
  at: number;
  /** Sizes by artifact id. */
  blobs: Record<string, number>;
  /** Maps the prefix of a session's entries to the artifacts that it will have handles of. */
  sessions: Record<string, string[]>;
}

/** How long the reservation of a dead put lives. A put gives up well before. */
export const reservationMs: number = 15 * 60_000;

const ledgerKey = "ledger";
const maxAttempts = 60;

/**
 * Reserves what a put adds. `check` counts what is stored together with the reservations of others. The ledger object is
 * replaced only if it is unchanged since it was read before the count, so no two puts can use the same room.
 */
export async function reserve(
  context: S3Context,
  reservation: Reservation,
  options: {
    check: (others: readonly Reservation[]) => Promise<void>;
    signal?: AbortSignal | undefined;
  },
): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const { others, etag, isReserved } = await readLedger(
      context,
      reservation.token,
      options.signal,
    );
    // An earlier write succeeded but its answer was lost, or the SDK met its own first attempt.
    if (isReserved) return;
    await options.check(others);
    const reservations = [...others, reservation];
    if (await writeLedger(context, { reservations, etag, signal: options.signal })) return;
    await pauseBeforeRetry(Math.min(attempt, 4), options.signal);
  }
  throw passingFailure(
    `The ledger changed ${maxAttempts} times while a put wanted to enter itself.`,
  );
}

/** Ends a reservation. If that fails now, the reservation expires later. */
export async function settleReservation(context: S3Context, token: string): Promise<void> {
  const signal = cleanupSignal();
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const { others, etag, isReserved } = await readLedger(context, token, signal);
    if (!isReserved || (await writeLedger(context, { reservations: others, etag, signal }))) return;
    await pauseBeforeRetry(Math.min(attempt, 4), signal);
  }
}

interface LedgerState {
  others: Reservation[];
  etag: string | undefined;
  isReserved: boolean;
}

async function readLedger(
  context: S3Context,
  token: string,
  signal?: AbortSignal,
): Promise<LedgerState> {
  const object = await readObject(context.bucket, ledgerKey, signal);
  const parsed: unknown =
    object === undefined || object === "damaged"
      ? []
      : parseJson(new TextDecoder().decode(object.bytes));
  if (object === "damaged" || !Array.isArray(parsed) || !parsed.every(isReservation)) {
    throw new ArtifactStoreError(
      "store_failed",
      `The object "${context.bucket.prefix}${ledgerKey}" holds no ledger; remove it while no put is under way.`,
    );
  }
  const living = parsed.filter(({ at }) => at > context.clock.now() - reservationMs);
  return {
    others: living.filter((each) => each.token !== token),
    etag: object?.etag,
    isReserved: living.some((each) => each.token === token),
  };
}

async function writeLedger(
  context: S3Context,
  ledger: {
    reservations: readonly Reservation[];
    etag: string | undefined;
    signal: AbortSignal | undefined;
  },
): Promise<boolean> {
  const { reservations, etag, signal } = ledger;
  const body = new TextEncoder().encode(canonicalJson(reservations.map((each) => ({ ...each }))));
  const condition = etag === undefined ? "absent" : { etag };
  return (await context.bucket.put(ledgerKey, body, { condition, signal })) !== undefined;
}

function isReservation(value: unknown): value is Reservation {
  return (
    isRecord(value) &&
    typeof value["token"] === "string" &&
    typeof value["at"] === "number" &&
    isRecord(value["blobs"]) &&
    isRecord(value["sessions"])
  );
}
