import { rm } from "node:fs/promises";
import { expect, it } from "vitest";
import {
  earlierLimits,
  readEarlier,
  unpackEarlier,
  useEarlier,
} from "../../../scripts/damage/earlier-version.mjs";
import { openFsArtifactStore } from "./index.ts";

const fixture = new URL("__fixtures__/earlier-version.json.gz", import.meta.url);

it("opens what an earlier version wrote, and reads, deletes and collects it", async () => {
  const { handles, files } = await readEarlier(fixture);
  const folder = await unpackEarlier(files);
  const store = await openFsArtifactStore({ folder: folder, limits: earlierLimits });
  try {
    await expect(useEarlier(store, handles)).resolves.toBeUndefined();
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
});
