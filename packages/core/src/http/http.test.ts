import { getEventListeners } from "node:events";

import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";

import { readBodyText, streamChunks, streamLines } from "./index.ts";

const encoder = new TextEncoder();

function streamOf(
  chunks: readonly Uint8Array[],
  options: { isStalled?: boolean; onCancel?: () => void } = {},
): ReadableStream<Uint8Array> {
  const queue = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const next = queue.shift();
      if (next !== undefined) controller.enqueue(next);
      else if (options.isStalled === true) return new Promise<void>(() => undefined);
      else controller.close();
      return undefined;
    },
    cancel: () => options.onCancel?.(),
  });
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe("streamChunks", () => {
  it("yields all chunks, and leaves no listener", async () => {
    const { signal } = new AbortController();
    const chunks = [Uint8Array.of(1), Uint8Array.of(2, 3)];
    expect(await all(streamChunks(streamOf(chunks), signal))).toEqual(chunks);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("ends at the abort even if the source never answers, and cancels the source", async () => {
    const controller = new AbortController();
    const onCancel = vi.fn<() => void>();
    const stream = streamOf([Uint8Array.of(1)], { isStalled: true, onCancel });
    const reading = all(streamChunks(stream, controller.signal));
    setImmediate(() => controller.abort(new Error("enough")));
    await expect(reading).rejects.toThrow("enough");
    expect(onCancel).toHaveBeenCalledOnce();
  });

  it("cancels the source when its reader stops early", async () => {
    const onCancel = vi.fn<() => void>();
    for await (const chunk of streamChunks(
      streamOf([Uint8Array.of(1), Uint8Array.of(2)], { onCancel }),
    )) {
      expect(chunk).toEqual(Uint8Array.of(1));
      break;
    }
    expect(onCancel).toHaveBeenCalledOnce();
  });
});

describe("streamLines", () => {
  it("yields the lines of the text, regardless of chunk boundaries", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "é", "😀", "\n", "\r", " ") });
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 4 }), async (whole, size) => {
        const bytes = encoder.encode(whole);
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        const lines = await all(streamLines(streamChunks(streamOf(chunks))));
        const expected = whole.split(/\r\n|\r|\n/);
        const last = expected.pop() ?? "";
        expect(lines).toEqual([
          ...expected.map((line) => ({ line, isComplete: true })),
          ...(last === "" ? [] : [{ line: last, isComplete: false }]),
        ]);
      }),
    );
  });
});

describe("readBodyText", () => {
  const read = (chunks: readonly Uint8Array[], maxBytes: number): Promise<unknown> =>
    readBodyText(streamOf(chunks), { maxBytes });

  it("returns the text of a body within its limit", async () => {
    const [first, second] = [encoder.encode("é").subarray(0, 1), encoder.encode("é").subarray(1)];
    expect(await read([first, second], 2)).toEqual({
      status: "complete",
      text: "é",
      sizeBytes: 2,
    });
    expect(await readBodyText(null, { maxBytes: 0 })).toMatchObject({ text: "" });
  });

  it("stops at the limit with the beginning", async () => {
    const onCancel = vi.fn<() => void>();
    const stream = streamOf([encoder.encode("abc"), encoder.encode("def")], {
      isStalled: true,
      onCancel,
    });
    expect(await readBodyText(stream, { maxBytes: 4 })).toEqual({
      status: "too_large",
      text: "abcd",
    });
    expect(onCancel).toHaveBeenCalledOnce();
  });

  it("rejects bytes that are not UTF-8, also at the end", async () => {
    expect(await read([Uint8Array.of(0xff)], 10)).toEqual({ status: "invalid_utf8" });
    expect(await read([Uint8Array.of(0xc3)], 10)).toEqual({ status: "invalid_utf8" });
  });
});
