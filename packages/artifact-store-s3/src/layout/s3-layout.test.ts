import { sha256Hex } from "@ccl/core";
import fc from "fast-check";
import { expect, it } from "vitest";

import { createGenerationName, createStagedName, parseGeneration } from "./generation.ts";
import { artifactIdOf, blobKey, blobPrefix, parseBlobKey } from "./s3-layout.ts";

const artifactId = fc.nat().map((seed) => sha256Hex(String(seed)));
const at = fc.integer({ min: 0, max: Date.UTC(2200, 0, 1) });
const size = fc.integer({ min: 0, max: 2 ** 50 });

it("gives back the artifact and the copy that a key was made of", () => {
  fc.assert(
    fc.property(artifactId, at, size, fc.boolean(), (id, now, sizeBytes, isStaged) => {
      const staged = isStaged ? createStagedName(now) : undefined;
      const generation = createGenerationName(now, sizeBytes, staged);
      const key = blobKey(id, generation);
      expect(key.startsWith(blobPrefix(id))).toBe(true);
      expect(parseBlobKey(key)).toEqual(parseGeneration(generation));
      expect(artifactIdOf(key)).toBe(id);
    }),
  );
});

it("passes over keys of another form", () => {
  for (const key of ["blobs/x", "blobs/x/y", "blobs", ""])
    expect(parseBlobKey(key)).toBeUndefined();
  expect(artifactIdOf("blobs")).toBe("");
});
