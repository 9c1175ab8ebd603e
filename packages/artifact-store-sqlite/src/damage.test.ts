import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fillStore, tryDamages } from "../../../scripts/damage/artifact-damages.mjs";
import { byLength, isAtLeast } from "../../../scripts/lengths/test-length.mjs";
import { openSqliteArtifactStore } from "./index.ts";

const runs = byLength({ test: 20, ci: 60, faults: 1_000 });
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-sqlite-damage-"));
});
afterAll(() => rm(folder, { recursive: true }));

it(
  "returns nothing wrong of a damaged file, and tells what is lost",
  { timeout: runs * 20_000 },
  async () => {
    const open = (name: string): ReturnType<typeof openSqliteArtifactStore> =>
      openSqliteArtifactStore({ path: join(folder, name), durability: "off" });
    const filled = await fillStore(await open("sound.db"));
    const counts = await tryDamages({
      files: new Map([["file", await readFile(join(folder, "sound.db"))]]),
      filled,
      runs,
      async open(files) {
        for (const end of ["", "-wal", "-shm", "-journal"])
          await rm(join(folder, `damaged.db${end}`), { force: true });
        await writeFile(join(folder, "damaged.db"), files.get("file") ?? "");
        return open("damaged.db");
      },
    });
    if (isAtLeast("faults")) console.log("SQLite:", counts);
    expect(counts).toMatchObject({ unseen: 0, wrongContents: 0, wrongHandles: 0 });
    expect(counts.reported).toBeGreaterThan(0);
  },
);
