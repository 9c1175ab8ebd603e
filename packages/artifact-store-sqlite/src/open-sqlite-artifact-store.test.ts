import { describe, expect, it } from "vitest";
import { openSqliteArtifactStore } from "./open-sqlite-artifact-store.ts";

describe("openSqliteArtifactStore", () => {
  it.each([
    {},
    { path: 5 },
    { path: "" },
    { path: "a\0b" },
    { path: "file:x?mode=memory" },
    { path: "file::memory:" },
    { path: ":memory:", durability: "FULL" },
    { path: ":memory:", durability: null },
    { path: ":memory:", busyTimeoutMs: -1 },
  ])("refuses %j", async (options) => {
    // @ts-expect-error: what JavaScript lets pass
    const opening = openSqliteArtifactStore(options);
    await expect(opening).rejects.toMatchObject({
      name: "ArtifactStoreError",
      code: "invalid_input",
    });
  });

  it("keeps a store in memory until it is closed", async () => {
    const store = await openSqliteArtifactStore({ path: ":memory:" });
    const { artifactId } = await store.store("kept", { source: "test" });
    expect(await store.exists(artifactId)).toBe(true);
    await store.close();
  });
});
