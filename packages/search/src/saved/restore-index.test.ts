import { describe, expect, it } from "vitest";

import { createSearchIndex } from "../create-search-index.ts";

async function saved(): Promise<Uint8Array> {
  const index = createSearchIndex({ fields: { title: 1 } });
  await index.put([{ id: "a", texts: { title: "payments" } }]);
  return index.save();
}

describe("a saved index", () => {
  it("answers like the index that was saved", async () => {
    const index = createSearchIndex({ fields: { title: 1 } });
    index.restore(await saved());
    expect(index.searchText({ text: "payment", limit: 5 }).hits.map(({ id }) => id)).toEqual(["a"]);
  });

  it("is rejected for any changed byte and any shorter length", async () => {
    const bytes = await saved();
    const index = createSearchIndex({ fields: { title: 1 } });
    for (const at of bytes.keys()) {
      const changed = bytes.map((byte, place) => (place === at ? byte ^ 1 : byte));
      for (const given of [changed, bytes.subarray(0, at)])
        expect(() => index.restore(given)).toThrow(
          expect.objectContaining({
            code: expect.stringMatching(/^(index_damaged|invalid_options)$/),
          }),
        );
    }
    expect(() => index.restore(bytes.subarray(1))).toThrow(
      expect.objectContaining({ code: "index_damaged" }),
    );
  });

  it("is rejected with other fields", async () => {
    const bytes = await saved();
    expect(() => createSearchIndex({ fields: { body: 1 } }).restore(bytes)).toThrow(
      expect.objectContaining({ code: "invalid_options" }),
    );
  });
});
