import { sleep } from "@ccl/core/async";

/** Waits 20 ms doubled at each attempt, at most 1 s, less a random half, so that writers that met once part. */
export async function pauseBeforeRetry(attempt: number, signal?: AbortSignal): Promise<void> {
  const fullMs = Math.min(20 * 2 ** attempt, 1_000);
  await sleep(fullMs * (1 - Math.random() / 2), signal);
}
