import { describe, expect, it } from "vitest";
import { createMemoryArtifactStore } from "../index.ts";

describe("createMemoryArtifactStore", () => {
  it("keeps text, and gives it back whole, in part and as a stream", async () => {
    const store = createMemoryArtifactStore();
    const handle = await store.store("Hello, world", { source: "tool:echo" });
    expect(handle).toMatchObject({
      summary: "Hello, world",
      sizeBytes: 12,
      mimeType: "text/plain; charset=utf-8",
    });
    expect(new TextDecoder().decode(await store.retrieve(handle.artifactId))).toBe("Hello, world");
    const part = await store.retrieve(handle.artifactId, { range: { start: 7, end: 9 } });
    expect(new TextDecoder().decode(part)).toBe("wo");
    const pieces: Uint8Array[] = [];
    for await (const piece of (await store.retrieveStream(handle.artifactId)) ?? [])
      pieces.push(piece);
    expect(new TextDecoder().decode(pieces[0])).toBe("Hello, world");
    await store.close();
    await expect(store.retrieve(handle.artifactId)).rejects.toMatchObject({ code: "closed" });
  });

  it("refuses what does not fit in its bytes", async () => {
    const store = createMemoryArtifactStore({ limits: { maxStoreBytes: 10 } });
    await store.store("12345678", { source: "a" });
    await expect(store.store("123", { source: "a" })).rejects.toMatchObject({
      code: "limit_exceeded",
    });
    await expect(store.store("12345678901", { source: "a" })).rejects.toMatchObject({
      code: "limit_exceeded",
    });
    await store.store("12", { source: "a" });
  });
});
