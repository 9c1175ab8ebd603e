import type { ArtifactHandle, ArtifactStore } from "@ccl/artifact-store";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFsArtifactStore } from "../open-fs-artifact-store.ts";

let root = "";
let store: ArtifactStore;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-list-"));
  // Of many lengths, and "-" comes before the "." that ends an id in a file's name.
  const ids = Array.from({ length: 60 }, (_, index) =>
    index % 3 === 0 ? "a" : `a-${(index * 37) % 60}`,
  );
  store = await openFsArtifactStore({
    folder: root,
    durability: "off",
    ids: { next: () => ids.pop() ?? "" },
  });
  for (let index = 0; index < 60; index += 1)
    await store.store(`content ${index}`, { source: "a" });
});
afterEach(async () => {
  await store.close();
  await rm(root, { recursive: true, force: true });
});

async function pagesOf(limit: number): Promise<ArtifactHandle[]> {
  const handles: ArtifactHandle[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.listHandles({ limit, cursor });
    handles.push(...page.handles);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return handles;
}

describe("a listing", () => {
  it("is in the same order whatever the length of its pages", async () => {
    const whole = await pagesOf(1000);
    const keys = whole.map(({ handleId, artifactId }) => [handleId, artifactId].join(" "));
    expect(keys).toEqual([...new Set(keys)].sort());
    expect(keys).toHaveLength(60);
    for (const limit of [1, 2, 7, 59, 60]) expect(await pagesOf(limit)).toEqual(whole);
  });

  it("names the handles that can't be read, and goes on past them", async () => {
    const whole = await pagesOf(1000);
    const damaged = whole.slice(1, 20);
    for (const { artifactId } of damaged) {
      const folder = join(root, "blobs", artifactId.slice(0, 2));
      const names = await readdir(folder);
      for (const name of names)
        if (name.startsWith(`${artifactId}.`)) await writeFile(join(folder, name), "damaged");
    }
    const readable = whole.filter((handle) => !damaged.includes(handle));
    const page = await store.listHandles({ limit: 22 });
    expect(page.handles).toEqual(readable.slice(0, 3));
    expect(page.damaged).toEqual(
      damaged.map(({ handleId, artifactId }) => ({ handleId, artifactId })),
    );
    expect(await pagesOf(7)).toEqual(readable);
  });
});
