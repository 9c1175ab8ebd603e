import { createHash, createHmac } from "node:crypto";

import { sha256 } from "@noble/hashes/sha2.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createSha256, hmacSha256Hex, randomBytes, randomHex } from "./index.ts";
import { wrapSha256 } from "./sha256.ts";

describe.each([
  ["the runtime's SHA-256", createSha256],
  ["the portable SHA-256", () => wrapSha256(sha256.create())],
])("%s", (_name, create) => {
  it("equals that of node:crypto, however the bytes are split", () => {
    const pieces = fc.array(
      fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.string({ unit: "grapheme" })),
    );
    fc.assert(
      fc.property(pieces, (list) => {
        const [ours, theirs] = [create(), createHash("sha256")];
        for (const piece of list) {
          ours.update(piece);
          theirs.update(piece);
        }
        expect(ours.digestHex()).toBe(theirs.digest("hex"));
      }),
    );
  });
});

describe("hmacSha256Hex", () => {
  it("equals that of node:crypto for keys of any length", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 150 }), fc.string(), (key, data) => {
        expect(hmacSha256Hex(key, data)).toBe(createHmac("sha256", key).update(data).digest("hex"));
      }),
    );
  });
});

describe("randomBytes", () => {
  it("returns the requested number of bytes, even beyond what one call of the source returns", () => {
    expect(randomBytes(0)).toHaveLength(0);
    const many = randomBytes(200_000);
    expect(many).toHaveLength(200_000);
    expect(new Set(many.subarray(-1_000)).size).toBeGreaterThan(100);
    expect(randomHex(8)).toMatch(/^[0-9a-f]{16}$/);
  });
});
