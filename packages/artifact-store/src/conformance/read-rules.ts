import { ArtifactStoreError } from "../artifact-store-error.ts";
import { rejectsWith } from "@ccl/core/conformance";
import assert from "node:assert/strict";
import { assertBytes, drain, mebibyte, someBytes, untyped, type Rule } from "./bench.ts";

const size = 2 * mebibyte + 500;
const source = "tool:test";

const ranges: { title: string; start: number; end?: number | undefined }[] = [
  { title: "the first byte", start: 0, end: 1 },
  { title: "inside a chunk", start: 100, end: 4000 },
  { title: "exactly one chunk", start: mebibyte, end: 2 * mebibyte },
  {
    title: "the last byte of a chunk and the first of the next",
    start: mebibyte - 1,
    end: mebibyte + 1,
  },
  { title: "across two chunk borders", start: mebibyte - 3, end: 2 * mebibyte + 3 },
  { title: "the last byte", start: size - 1, end: size },
];

const cutRanges: { title: string; start: number; end?: number | undefined }[] = [
  { title: "without an end", start: mebibyte + 5 },
  { title: "with an end past the end", start: size - 10, end: size + 10 },
  { title: "from the end on", start: size },
  { title: "past the end", start: size + 5, end: size + 9 },
  { title: "of no bytes", start: 7, end: 7 },
  { title: "whose end is before its start", start: 9, end: 3 },
  { title: "of a huge end", start: 2 * mebibyte, end: Number.MAX_SAFE_INTEGER },
];

/** Ranges and streams. */
export const readRules: Rule[] = [
  {
    name: "a range gives exactly its bytes, at and across chunk borders",
    async check({ store }) {
      const content = someBytes(size, 10);
      const { artifactId } = await store.store(content, { source });
      for (const range of ranges) {
        assertBytes(
          await store.retrieve(artifactId, { range }),
          content.subarray(range.start, range.end),
        );
      }
    },
  },
  {
    name: "a range is cut to what is there",
    async check({ store }) {
      const content = someBytes(size, 11);
      const { artifactId } = await store.store(content, { source });
      for (const range of cutRanges) {
        assertBytes(
          await store.retrieve(artifactId, { range }),
          content.subarray(range.start, range.end),
        );
      }
    },
  },
  {
    name: "a stream takes a range too",
    async check({ store }) {
      const content = someBytes(size, 12);
      const { artifactId } = await store.store(content, { source });
      for (const range of [...ranges, ...cutRanges]) {
        const bytes = await drain(await store.retrieveStream(artifactId, { range }));
        assertBytes(bytes, content.subarray(range.start, range.end));
      }
    },
  },
  {
    name: "a range that is no range is refused",
    async check({ store }) {
      const { artifactId } = await store.store("content", { source });
      const wrong = [
        { start: -1 },
        { start: 0.5 },
        { start: Number.NaN },
        { start: 0, end: -1 },
        { start: 0, end: 1e300 },
      ];
      for (const range of [
        ...wrong,
        untyped<{ start: number }>({}),
        untyped<{ start: number }>({ start: "1" }),
      ]) {
        await rejectsWith(ArtifactStoreError, "invalid_input", () =>
          store.retrieve(artifactId, { range }),
        );
        await rejectsWith(ArtifactStoreError, "invalid_input", () =>
          store.retrieveStream(artifactId, { range }),
        );
      }
    },
  },
  {
    name: "a stream that is left half read harms nothing",
    async check(bench) {
      const content = someBytes(size, 13);
      const { artifactId } = await bench.store.store(content, { source });
      for (let turn = 0; turn < 20; turn += 1) {
        for await (const piece of (await bench.store.retrieveStream(artifactId)) ?? []) {
          assert.ok(piece.length <= size);
          break;
        }
      }
      await bench.holds(artifactId, content);
      await bench.store.close();
    },
  },
  {
    name: "streams of one artifact are read side by side",
    async check({ store }) {
      const content = someBytes(size, 14);
      const { artifactId } = await store.store(content, { source });
      const streams = await Promise.all(
        Array.from({ length: 4 }, () => store.retrieveStream(artifactId)),
      );
      for (const bytes of await Promise.all(streams.map(drain))) assertBytes(bytes, content);
    },
  },
];
