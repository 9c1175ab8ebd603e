import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { createDeadline, retry } from "./index.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Fails once for each error, and records the time of each call. */
function failing(...errors: unknown[]): { calls: number[]; attempt: () => Promise<string> } {
  const [calls, startMs]: [number[], number] = [[], Date.now()];
  const attempt = async (): Promise<string> => {
    calls.push(Date.now() - startMs);
    if (errors.length > 0) throw errors.shift();
    return "done";
  };
  return { calls, attempt };
}

describe("retry", () => {
  it("waits as failures ask, or at random within a bound that doubles, twice by default", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const { calls, attempt } = failing("a", "b", "c");
    const ended = retry(attempt, { waitFor: (error) => (error === "a" ? 30 : "backoff") });
    const caught = ended.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([await caught, calls]).toEqual(["c", [0, 30, 530]]);
  });

  it.each<[string, NonNullable<Parameters<typeof retry>[1]>]>([
    ["no retries are allowed", { retries: 0, waitFor: () => 1 }],
    ["a retry can't help", { waitFor: () => undefined }],
    ["the wait is longer than the time left", { waitFor: () => 50, remainingMs: () => 50 }],
    ["the wait is longer than a minute", { waitFor: () => 60_000 }],
  ])("throws immediately if %s", async (_, options) => {
    const { calls, attempt } = failing("a");
    await expect(retry(attempt, options)).rejects.toBe("a");
    expect(calls.length).toBe(1);
  });

  it("stops waiting at the abort", async () => {
    const controller = new AbortController();
    const { calls, attempt } = failing("a");
    const ended = retry(attempt, { waitFor: () => 5_000, signal: controller.signal });
    const caught = ended.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10);
    controller.abort("enough");
    expect([await caught, calls.length, vi.getTimerCount()]).toEqual(["enough", 1, 0]);
  });
});

describe("createDeadline", () => {
  it("aborts at the time limit, counts down to it, and leaves no timer", async () => {
    const error = new Error("Too long.");
    const deadline = createDeadline({ timeoutMs: 100, onTimeout: () => error });
    await vi.advanceTimersByTimeAsync(60);
    expect([deadline.remainingMs(), deadline.signal.aborted]).toEqual([40, false]);
    await vi.advanceTimersByTimeAsync(40);
    expect(deadline.signal.reason).toBe(error);
    const second = createDeadline({ timeoutMs: 100, onTimeout: () => error });
    second.close();
    expect([vi.getTimerCount(), second.signal.aborted]).toEqual([0, true]);
  });
});
