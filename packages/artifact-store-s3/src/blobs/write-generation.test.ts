import { sha256Hex } from "@ccl/core";
import fc from "fast-check";
import { expect, it } from "vitest";

import { openHashes } from "./write-generation.ts";

const hashes = fc
  .array(fc.uint8Array({ minLength: 32, maxLength: 32 }), { maxLength: 4 })
  .map((list) => Uint8Array.from(list.flatMap((hash) => [...hash])));

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

function sealed(chunkHashes: Uint8Array): Uint8Array {
  return Uint8Array.from(Buffer.from(hexOf(chunkHashes) + sha256Hex(chunkHashes), "hex"));
}

it("opens what it sealed, and nothing of which any byte was changed, lost or added", () => {
  fc.assert(
    fc.property(hashes, fc.nat(), fc.integer({ min: 1, max: 255 }), (given, place, change) => {
      const whole = sealed(given);
      expect(openHashes(whole)).toEqual(given);
      const at = place % whole.length;
      expect(
        openHashes(whole.map((byte, of) => (of === at ? byte ^ change : byte))),
      ).toBeUndefined();
      expect(openHashes(whole.subarray(0, at))).toBeUndefined();
      expect(openHashes(whole.subarray(whole.length - at))).toBeUndefined();
      expect(openHashes(Uint8Array.from([...whole, change]))).toBeUndefined();
    }),
  );
});
