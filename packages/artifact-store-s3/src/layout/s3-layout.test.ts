import { sha256Hex } from "@ccl/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createGeneration, createStagedName } from "./generation.ts";
import {
  afterHandle,
  artifactIdOf,
  blobKey,
  claimKey,
  claimPrefix,
  condemnedPrefix,
  damagedKey,
  endingKey,
  handleKey,
  noBatch,
  parseBlobKey,
  parseHandleKey,
  parseReferences,
  parseSessionKey,
  referencePrefix,
  sessionKey,
  sessionPrefix,
  sourceKeyOf,
} from "./s3-layout.ts";

const artifactId = fc.nat().map((seed) => sha256Hex(String(seed)));
const handleId = fc.stringMatching(/^[a-zA-Z0-9_.:-]{1,20}$/);
const batch = fc.oneof(fc.constant(noBatch), fc.stringMatching(/^[0-9a-f]{8}$/));
const entry = fc.record({
  artifactId,
  handleId,
  batch,
  sourceKey: fc.string().map(sourceKeyOf),
  sizeBytes: fc.integer({ min: 0, max: 2 ** 50 }),
});
const at = fc.integer({ min: 0, max: Date.UTC(2200, 0, 1) });
const claim = fc.tuple(entry, at, at, fc.boolean()).map(([of, claimedAt, now, isStaged]) => {
  const { sizeBytes, ...named } = of;
  const staged = isStaged ? createStagedName(now) : undefined;
  return { ...named, claimedAt, generation: createGeneration({ now, sizeBytes, staged }) };
});

describe("keys", () => {
  it("give back the handle, the size and the copy that they were made of", () => {
    fc.assert(
      fc.property(entry, fc.string(), claim, (of, sessionId, claimed) => {
        const { sizeBytes: _, ...handle } = of;
        expect(parseHandleKey(handleKey(handle))).toEqual(handle);
        expect(parseSessionKey(sessionKey(sessionId, of))).toEqual(of);
        expect(sessionKey(sessionId, of).startsWith(sessionPrefix(sessionId))).toBe(true);
        const key = claimKey(claimed);
        expect(parseReferences([{ key }])).toMatchObject({ claims: [{ key, ...claimed }] });
        expect(artifactIdOf(key)).toBe(claimed.artifactId);
        const blob = blobKey(claimed.artifactId, claimed.generation.name);
        expect(parseBlobKey(blob)).toEqual(claimed.generation);
        expect(artifactIdOf(blob)).toBe(claimed.artifactId);
      }),
    );
  });

  it("of a lesser handle come before those of a greater, and a listing goes on between them", () => {
    fc.assert(
      fc.property(entry, entry, (one, other) => {
        fc.pre(one.handleId !== other.handleId);
        const [low, high] = one.handleId < other.handleId ? [one, other] : [other, one];
        expect(handleKey(low) < handleKey(high)).toBe(true);
        const after = afterHandle("handles/", low);
        expect(handleKey(low) < after).toBe(true);
        expect(after < handleKey(high)).toBe(true);
      }),
    );
  });

  it("that mark an artifact come before its claims", () => {
    fc.assert(
      fc.property(claim, at, (claimed, time) => {
        const { artifactId: id, generation } = claimed;
        const marks = [
          `${condemnedPrefix(id, generation.name)}x`,
          damagedKey(id, generation.name),
          endingKey(id, time, "x"),
        ];
        for (const mark of marks) {
          expect(mark.startsWith(referencePrefix(id))).toBe(true);
          expect(mark < claimKey(claimed)).toBe(true);
        }
        expect(claimKey(claimed).startsWith(claimPrefix(id))).toBe(true);
        expect(parseReferences([...marks, claimKey(claimed)].map((key) => ({ key })))).toEqual({
          claims: [{ ...claimed, key: claimKey(claimed) }],
          damaged: new Set([generation.name]),
          endings: [{ key: marks[2], at: time }],
          condemnations: [{ key: marks[0], generation: generation.name }],
        });
      }),
    );
  });
});

it("passes over keys that have lost a part, or whose copy has another form", () => {
  fc.assert(
    fc.property(entry, claim, (of, claimed) => {
      const withoutLast = (key: string): string => key.slice(0, key.lastIndexOf("!"));
      const { sizeBytes: _, ...handle } = of;
      expect(parseHandleKey(withoutLast(handleKey(handle)))).toBeUndefined();
      expect(parseSessionKey(withoutLast(sessionKey("s", of)))).toBeUndefined();
      const key = claimKey(claimed);
      for (const other of [withoutLast(key), `${key}-`, `x/${key}`, ""])
        expect(parseReferences([{ key: other }]).claims).toEqual([]);
      expect(parseBlobKey(`blobs/${claimed.artifactId}`)).toBeUndefined();
      expect(parseBlobKey("blobs/x/y")).toBeUndefined();
    }),
  );
  expect(parseHandleKey("handles/")).toBeUndefined();
  expect(parseSessionKey("sessions/")).toBeUndefined();
  expect(artifactIdOf("blobs")).toBe("");
});
