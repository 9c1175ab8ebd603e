import { backoffDelay, sleep } from "@ccl/core/async";

/** Waits a random time so that conflicting writers spread out: up to 40 ms, doubled at each attempt, up to 1 s. */
export async function pauseBeforeRetry(attempt: number, signal?: AbortSignal): Promise<void> {
  await sleep(backoffDelay(attempt, { firstMs: 20, maxMs: 1_000 }), signal);
}
