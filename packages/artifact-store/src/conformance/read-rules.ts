import { assertBytes, drain, mebibyte, type Rule, rulesOf, someBytes } from "./bench.ts";

const size = 2 * mebibyte + 500;
const source = "tool:test";

const ranges = {
  "exactly its bytes, at and across chunk borders": [
    [0, 1],
    [100, 4_000],
    [mebibyte, 2 * mebibyte],
    [mebibyte - 1, mebibyte + 1],
    [mebibyte - 3, 2 * mebibyte + 3],
    [size - 1, size],
  ],
  "what is there of it": [
    [mebibyte + 5],
    [size - 10, size + 10],
    [size],
    [size + 5, size + 9],
    [7, 7],
    [9, 3],
    [2 * mebibyte, Number.MAX_SAFE_INTEGER],
  ],
} satisfies Record<string, [start: number, end?: number][]>;

/** Rules for ranges and streams. */
export const readRules: Rule[] = [
  ...Object.entries(ranges).flatMap(([what, pairs]) =>
    rulesOf({
      async [`a range gives ${what}`]({ store }) {
        const content = someBytes(size, 10);
        const { artifactId } = await store.store(content, { source });
        for (const [start, end] of pairs) {
          const range = { start, end };
          assertBytes(await store.retrieve(artifactId, { range }), content.subarray(start, end));
        }
      },
      async [`a stream of a range gives ${what}`]({ store }) {
        const content = someBytes(size, 12);
        const { artifactId } = await store.store(content, { source });
        for (const [start, end] of pairs) {
          const stream = await store.retrieveStream(artifactId, { range: { start, end } });
          assertBytes(await drain(stream), content.subarray(start, end));
        }
      },
    }),
  ),
  ...rulesOf({
    async "a stream that is left half read harms nothing"(bench) {
      const content = someBytes(size, 13);
      const { artifactId } = await bench.store.store(content, { source });
      for (let turn = 0; turn < 20; turn += 1) {
        for await (const _ of (await bench.store.retrieveStream(artifactId)) ?? []) break;
      }
      await bench.expectContent(artifactId, content);
    },
    async "streams of one artifact are read side by side"({ store }) {
      const content = someBytes(size, 14);
      const { artifactId } = await store.store(content, { source });
      const streams = await Promise.all([0, 1, 2, 3].map(() => store.retrieveStream(artifactId)));
      for (const bytes of await Promise.all(streams.map(drain))) assertBytes(bytes, content);
    },
  }),
];
