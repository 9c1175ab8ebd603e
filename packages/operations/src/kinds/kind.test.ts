import { describe, expect, it } from "vitest";

import type { OperationErrorCode } from "../operation/operation-definition.ts";
import { type RetryChances, nextDelay } from "./kind.ts";

const chances = { random: () => 0.5, nowMs: 1_000, deadlineAt: undefined };

/** The waits after each attempt of an operation that always fails with this code. */
function waits(retry: Partial<RetryChances>, code: OperationErrorCode = "timeout"): number[] {
  const found: number[] = [];
  for (let number = 1; number < 20; number += 1) {
    const delayMs = nextDelay({ number, code }, { ...chances, ...retry });
    if (delayMs === undefined) break;
    found.push(delayMs);
  }
  return found;
}

describe("an operation that fails", () => {
  it.each<[string, Partial<RetryChances>, number[]]>([
    ["once without settings", {}, []],
    ["after waits that double", { maxAttempts: 4, backoffMs: 100 }, [50, 100, 200]],
    ["after half a second by default", { maxAttempts: 2 }, [250]],
    ["without a wait", { maxAttempts: 3, backoffMs: 0 }, [0, 0]],
    ["after no more than a minute", { maxAttempts: 3, backoffMs: 100_000 }, [30_000, 30_000]],
  ])("is tried %s", (_name, retry, wanted) => {
    expect(waits(retry)).toEqual(wanted);
  });

  it.each<[OperationErrorCode, readonly string[] | undefined, number]>([
    ["timeout", undefined, 1],
    ["provider_error", undefined, 1],
    ["rate_limited", undefined, 1],
    ["validation_error", undefined, 0],
    ["internal_error", undefined, 0],
    ["rate_limited", ["rate_limit"], 1],
    ["timeout", ["rate_limit"], 0],
    ["output_parse_error", ["output_parse_error"], 1],
  ])("with %s is tried again where %j says so", (code, retryOn, count) => {
    expect(waits({ maxAttempts: 2, backoffMs: 0, retryOn }, code)).toHaveLength(count);
  });

  it("is not tried again if that cannot help", () => {
    const failed = { number: 1, code: "provider_error", isTransient: false } as const;
    expect(nextDelay(failed, { ...chances, maxAttempts: 2 })).toBeUndefined();
  });

  it("is not tried again once the deadline would have come", () => {
    const retry = { maxAttempts: 2, backoffMs: 100 };
    expect(waits({ ...retry, deadlineAt: 1_051 })).toEqual([50]);
    expect(waits({ ...retry, deadlineAt: 1_050 })).toEqual([]);
  });
});
