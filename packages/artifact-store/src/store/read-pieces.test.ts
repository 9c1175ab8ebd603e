import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createMemoryArtifactStore } from "../index.ts";

describe("streams that share a signal", () => {
  it("put one listener on it, and none that stays", async () => {
    const store = createMemoryArtifactStore();
    const controller = new AbortController();
    const { signal } = controller;
    const listeners = (): number => getEventListeners(signal, "abort").length;
    const gates: (() => void)[] = [];
    async function* slow(text: string): AsyncGenerator<Uint8Array, void> {
      await new Promise<void>((resolve) => gates.push(resolve));
      yield new TextEncoder().encode(text);
    }
    const putAll = (): Promise<PromiseSettledResult<unknown>[]> =>
      Promise.allSettled(
        Array.from({ length: 20 }, (_, index) =>
          store.store(slow(String(index)), { source: "test", signal }),
        ),
      );
    const kept = putAll();
    while (gates.length < 20) await Promise.resolve();
    expect(listeners()).toBe(1);
    for (const open of gates.splice(0)) open();
    expect((await kept).map(({ status }) => status)).toEqual(
      Array.from({ length: 20 }, () => "fulfilled"),
    );
    expect(listeners()).toBe(0);

    const aborted = putAll();
    while (gates.length < 20) await Promise.resolve();
    controller.abort();
    for (const result of await aborted)
      expect(result).toMatchObject({ reason: { code: "aborted" } });
    expect(listeners()).toBe(0);
  });
});
