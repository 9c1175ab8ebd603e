import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fillStore, tryDamages } from "../../../scripts/damage/artifact-damages.mjs";
import { byLength, isAtLeast } from "../../../scripts/lengths/test-length.mjs";
import { openFsArtifactStore } from "./index.ts";

const runs = byLength({ test: 20, ci: 60, faults: 1_000 });
let root = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-fs-damage-"));
});
afterAll(() => rm(root, { recursive: true }));

it(
  "returns no wrong byte of damaged files, and everything of the others",
  { timeout: runs * 20_000 },
  async () => {
    const filled = await fillStore(await openFsArtifactStore({ folder: root, durability: "off" }));
    const files = new Map<string, Buffer>();
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) files.set(path, await readFile(path));
    }
    const counts = await tryDamages({
      files,
      filled,
      runs,
      async open(changed) {
        for (const [path, bytes] of changed) {
          await mkdir(dirname(path), { recursive: true });
          await rm(path, { force: true });
          await writeFile(path, bytes);
        }
        return openFsArtifactStore({ folder: root, durability: "off" });
      },
    });
    if (isAtLeast("faults")) console.log("files:", counts);
    expect(counts).toMatchObject({ notOpened: 0, unseen: 0, wrongContents: 0, wrongHandles: 0 });
    expect(counts).toMatchObject({ mostContents: 1, mostHandles: 1 });
    expect(counts.reported).toBeGreaterThan(0);
  },
);
