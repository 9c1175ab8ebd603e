import { sleep } from "@ccl/core/async";

/** Waits 20 ms, doubled at each attempt up to 1 s, less a random half so that colliding writers drift apart. */
export async function pauseBeforeRetry(attempt: number, signal?: AbortSignal): Promise<void> {
  const fullMs = Math.min(20 * 2 ** attempt, 1_000);
  await sleep(fullMs * (1 - Math.random() / 2), signal);
}
