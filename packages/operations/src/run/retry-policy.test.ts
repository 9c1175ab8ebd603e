import { describe, expect, it } from "vitest";

import { scenario } from "../../test-support/engine-scenario.ts";
import type { OperationOutcome } from "../operation/operation-context.ts";
import type { OperationErrorCode } from "../operation/operation-failure.ts";

interface Tried {
  /** When each attempt began, from the first on. */
  at: number[];
  status: string | undefined;
}

/** What an engine tries of an operation that fails with these codes, then is done. */
async function tries(
  params: Record<string, unknown>,
  codes: readonly OperationErrorCode[],
  { timeoutMs, kind }: { timeoutMs?: number; kind?: string } = {},
): Promise<Tried> {
  const at: number[] = [];
  const does = async (): Promise<OperationOutcome> => {
    const code = codes[at.length];
    at.push(world.clock.now() - 1_000);
    return code === undefined
      ? { status: "done" }
      : { status: "error", error: { code, message: "No." } };
  };
  const world = scenario({ operations: [{ id: "op", kind, params, does }] });
  const start = { ...world.start, timeoutMs };
  const { result } = await world.engine.start(start);
  await world.clock.advance(10 * 60_000);
  const { operationRuns } = await result;
  return { at, status: operationRuns[0]?.status };
}

const failing = (count: number, code: OperationErrorCode = "timeout"): OperationErrorCode[] =>
  Array.from({ length: count }, () => code);

describe("an operation that fails", () => {
  it("is tried as often as it may be, after waits that double", async () => {
    const retry = { maxAttempts: 4, backoffMs: 100 };
    expect(await tries({ retry }, failing(9))).toEqual({ at: [0, 50, 150, 350], status: "error" });
    expect(await tries({ retry }, failing(2))).toEqual({ at: [0, 50, 150], status: "done" });
  });

  it.each<[string, unknown, number[]]>([
    ["no settings", undefined, [0]],
    ["settings that are none", "often", [0]],
    ["settings that are null", null, [0]],
    ["a number that is none", { maxAttempts: "3" }, [0]],
    ["a wait of its own kind", { maxAttempts: 2, backoffMs: "1" }, [0, 250]],
    ["a negative wait", { maxAttempts: 2, backoffMs: -1 }, [0, 250]],
    ["no wait", { maxAttempts: 3, backoffMs: 0 }, [0, 0, 0]],
    ["a long wait", { maxAttempts: 3, backoffMs: 100_000 }, [0, 30_000, 60_000]],
  ])("is tried by %s", async (_, retry, at) => {
    expect(await tries({ retry }, failing(9))).toEqual({ at, status: "error" });
  });

  it("is tried ten times at most", async () => {
    const { at } = await tries({ retry: { maxAttempts: 50, backoffMs: 0 } }, failing(60));
    expect(at).toHaveLength(10);
  });

  it.each<[OperationErrorCode, readonly string[] | undefined, number]>([
    ["timeout", undefined, 2],
    ["provider_error", undefined, 2],
    ["rate_limited", undefined, 2],
    ["validation_error", undefined, 1],
    ["internal_error", undefined, 1],
    ["rate_limited", ["rate_limit"], 2],
    ["timeout", ["rate_limit"], 1],
    ["validation_error", ["validation_error"], 2],
  ])("with %s is tried again where %j says so", async (code, retryOn, count) => {
    const retry = { maxAttempts: 2, backoffMs: 0, retryOn };
    expect((await tries({ retry }, failing(9, code))).at).toHaveLength(count);
  });

  it("is not tried again once the deadline would have come", async () => {
    const retry = { maxAttempts: 3, backoffMs: 100 };
    expect((await tries({ retry }, failing(9), { timeoutMs: 51 })).at).toEqual([0, 50]);
    expect((await tries({ retry }, failing(9), { timeoutMs: 50 })).at).toEqual([0]);
  });

  it.each(["rag", "tool"])("is left to its handler where its kind is %s", async (kind) => {
    const retry = { maxAttempts: 3, backoffMs: 0 };
    expect((await tries({ retry }, failing(9), { kind })).at).toEqual([0]);
  });
});

it.each([
  [{ timeoutMs: 100 }, "compute", "error"],
  [{ timeoutMs: 101 }, "compute", "done"],
  [{ timeoutMs: 0 }, "compute", "done"],
  [{ timeoutMs: "100" }, "compute", "done"],
  [{ timeoutMs: 50 }, "tool", "done"],
])(
  "gives an attempt the time of %j, but for handlers that see to it: %s",
  async (params, kind, status) => {
    const does = (): Promise<OperationOutcome> =>
      new Promise((resolve) => void world.clock.schedule(100, () => resolve({ status: "done" })));
    const world = scenario({ operations: [{ id: "op", kind, params, does }] });
    const { result } = await world.engine.start(world.start);
    await world.clock.advance(1_000);
    expect((await result).operationRuns[0]?.status).toBe(status);
  },
);
