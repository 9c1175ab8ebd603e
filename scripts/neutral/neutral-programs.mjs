// What an entry does beyond being imported, where that is likely to need what only Node has.
import assert from "node:assert/strict";

/** @type {Record<string, (entry: any) => unknown>} */
export const programs = {
  "@ccl/core": ({ sha256Hex, createUuidV7Generator }) => {
    assert.match(sha256Hex("a"), /^ca978112/);
    assert.match(createUuidV7Generator().next(), /^[0-9a-f-]{36}$/);
  },
};
