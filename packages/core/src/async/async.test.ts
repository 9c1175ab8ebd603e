import { getEventListeners } from "node:events";

import { describe, expect, it, vi } from "vitest";

import { CclError } from "../ccl-error.ts";
import {
  backoffDelay,
  loadOnce,
  mapConcurrent,
  onAbort,
  parseRetryAfter,
  sleep,
  throwIfAborted,
  untilAborted,
  withTimeout,
} from "./index.ts";

class TestError extends CclError<"aborted" | "timeout"> {
  static override readonly brand: string = "TestError";
}

const never = (): Promise<never> => new Promise(() => undefined);
const abortedBy = (reason: unknown): AbortSignal => AbortSignal.abort(reason);

describe("throwIfAborted", () => {
  it("throws the package's error with the signal's reason as its cause", () => {
    expect(() => throwIfAborted(undefined, TestError)).not.toThrow();
    expect(() => throwIfAborted(new AbortController().signal, TestError)).not.toThrow();
    expect(() => throwIfAborted(abortedBy("enough"), TestError)).toThrow(
      expect.objectContaining({ code: "aborted", cause: "enough" }),
    );
  });
});

describe("onAbort", () => {
  it("shares one listener, and leaves none after the last callback is gone", () => {
    const { signal } = new AbortController();
    const forget = Array.from({ length: 20 }, () => onAbort(signal, () => undefined));
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    for (const each of forget) each();
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("calls each waiting callback once, even if the same function waits twice", () => {
    const controller = new AbortController();
    const [called, forgotten] = [vi.fn<() => void>(), vi.fn<() => void>()];
    onAbort(controller.signal, called);
    onAbort(controller.signal, called);
    onAbort(controller.signal, forgotten)();
    controller.abort();
    controller.abort();
    expect(called).toHaveBeenCalledTimes(2);
    expect(forgotten).not.toHaveBeenCalled();
  });
});

describe("untilAborted", () => {
  it("settles like the promise", async () => {
    const { signal } = new AbortController();
    await expect(untilAborted(Promise.resolve(1), signal, TestError)).resolves.toBe(1);
    await expect(untilAborted(2, undefined, TestError)).resolves.toBe(2);
    await expect(untilAborted(Promise.reject(new Error("no")), signal, TestError)).rejects.toThrow(
      "no",
    );
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("rejects at the abort, whatever the work does", async () => {
    const controller = new AbortController();
    const waiting = untilAborted(never(), controller.signal, TestError);
    controller.abort("enough");
    await expect(waiting).rejects.toMatchObject({ code: "aborted", cause: "enough" });
    await expect(untilAborted(never(), abortedBy("before"), TestError)).rejects.toMatchObject({
      cause: "before",
    });
  });
});

describe("sleep", () => {
  it("resolves after the time, or rejects at the abort with its reason", async () => {
    vi.useFakeTimers();
    try {
      const controller = new AbortController();
      const [whole, cut] = [sleep(50), sleep(5_000, controller.signal)];
      controller.abort("enough");
      await expect(cut).rejects.toBe("enough");
      await vi.advanceTimersByTimeAsync(50);
      await whole;
      expect(vi.getTimerCount()).toBe(0);
      await expect(sleep(1, abortedBy("before"))).rejects.toBe("before");
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("withTimeout", () => {
  const onTimeout = (): Error => new TestError("timeout", "Too long.");

  it("returns the work's result, then aborts its signal, and leaves no listener", async () => {
    const { signal } = new AbortController();
    let inner: AbortSignal | undefined;
    const work = (given: AbortSignal): Promise<number> => {
      inner = given;
      return Promise.resolve(7);
    };
    await expect(withTimeout(work, { timeoutMs: 1_000, signal, onTimeout })).resolves.toBe(7);
    expect(inner?.aborted).toBe(true);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("rejects when the time is up or the caller aborts, even if the work ignores its signal", async () => {
    await expect(withTimeout(never, { timeoutMs: 1, onTimeout })).rejects.toMatchObject({
      code: "timeout",
    });
    const controller = new AbortController();
    const waiting = withTimeout(never, { signal: controller.signal, onTimeout });
    controller.abort("enough");
    await expect(waiting).rejects.toBe("enough");
    const work = vi.fn<() => Promise<never>>(never);
    await expect(withTimeout(work, { signal: abortedBy("b"), onTimeout })).rejects.toBe("b");
    expect(work).not.toHaveBeenCalled();
  });

  it("treats a limit longer than a timer can wait as no limit", async () => {
    const work = (): Promise<string> => new Promise((resolve) => setImmediate(resolve, "done"));
    await expect(withTimeout(work, { timeoutMs: Infinity, onTimeout })).resolves.toBe("done");
  });
});

describe("mapConcurrent", () => {
  it("keeps the order and never exceeds the concurrency", async () => {
    let [running, most] = [0, 0];
    const results = await mapConcurrent([5, 1, 4, 2, 3], 2, async (item, index) => {
      most = Math.max(most, ++running);
      for (let turn = 0; turn < item; turn += 1) await Promise.resolve();
      running -= 1;
      return `${index}:${item}`;
    });
    expect(results).toEqual(["0:5", "1:1", "2:4", "3:2", "4:3"]);
    expect(most).toBe(2);
  });

  it("starts nothing after a failure, and rejects with the first failure once the rest has ended", async () => {
    const ended: number[] = [];
    const run = async (item: number): Promise<void> => {
      await Promise.resolve();
      if (item === 1) throw new Error("first");
      await new Promise((resolve) => setImmediate(resolve));
      ended.push(item);
    };
    await expect(mapConcurrent([0, 1, 2, 3], 2, run)).rejects.toThrow("first");
    expect(ended).toEqual([0]);
  });
});

describe("parseRetryAfter", () => {
  const nowMs = Date.parse("2026-01-01T00:00:00Z");
  it.each([
    ["3", 3_000],
    [" 1.5 ", 1_500],
    ["Thu, 01 Jan 2026 00:00:10 GMT", 10_000],
    ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
    ["-5", undefined],
    ["soon", undefined],
    ["", undefined],
    [null, undefined],
  ])("parses %j as %j ms", (header, expected) => {
    expect(parseRetryAfter(header, nowMs)).toBe(expected);
  });
});

describe("backoffDelay", () => {
  it("draws from 0 to a bound that doubles up to the longest wait", () => {
    const bounds = [0, 1, 2, 3, 4].map((attempt) =>
      backoffDelay(attempt, { firstMs: 100, maxMs: 1_000, random: () => 0.999_999 }),
    );
    expect(bounds).toEqual([99, 199, 399, 799, 999]);
    expect(backoffDelay(3, { firstMs: 100, maxMs: 1_000, random: () => 0 })).toBe(0);
  });
});

describe("loadOnce", () => {
  it("loads on the first call, once for all callers, and again after a failure", async () => {
    const load = vi.fn<() => object>(() => ({}));
    load.mockImplementationOnce(() => {
      throw new Error("not there yet");
    });
    const loaded = loadOnce(load);
    expect(load).not.toHaveBeenCalled();
    const failing = [loaded(), loaded()];
    await expect(failing[0]).rejects.toThrow("not there yet");
    await expect(failing[1]).rejects.toThrow("not there yet");
    const [first, second] = await Promise.all([loaded(), loaded()]);
    expect(first).toBe(second);
    expect(load).toHaveBeenCalledTimes(2);
  });
});
