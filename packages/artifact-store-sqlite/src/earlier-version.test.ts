import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  earlierLimits,
  readEarlier,
  unpackEarlier,
  useEarlier,
} from "../../../scripts/damage/earlier-version.mjs";
import { openSqliteArtifactStore } from "./index.ts";
import { openBlobDirectory } from "./node/index.ts";

const fixture = new URL("__fixtures__/earlier-version.json.gz", import.meta.url);

it("opens what an earlier version wrote, and reads, deletes and collects it", async () => {
  const { handles, files } = await readEarlier(fixture);
  const folder = await unpackEarlier(files);
  const blobDirectory = await openBlobDirectory(join(folder, "blobs"));
  const place = { path: join(folder, "a.db"), blobDirectory };
  const store = await openSqliteArtifactStore({ ...place, limits: earlierLimits });
  try {
    await expect(useEarlier(store, handles)).resolves.toBeUndefined();
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
});
