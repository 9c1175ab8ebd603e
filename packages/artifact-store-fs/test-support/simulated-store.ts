import type { ArtifactStore } from "@ccl/artifact-store";
import { createArtifactStore, type ArtifactStoreOptions } from "@ccl/artifact-store/driver";
import type { Durability } from "@ccl/core/node";
import { openFsDriver } from "../src/driver/fs-driver.ts";
import type { FileSystem } from "../src/file-system/file-system.ts";
import type { Owner } from "../src/owner.ts";

/** An owner of that name; all names in `alive` are at work. */
export function createTestOwner(name: string, alive: ReadonlySet<string>): Owner {
  let count = 0;
  return {
    nextToken() {
      count += 1;
      return `${name}-${count}`;
    },
    isAlive: async (token) => alive.has(token.slice(0, token.lastIndexOf("-"))),
  };
}

/** A store over any file system, under `/store`. */
export async function openTestStore(
  fs: FileSystem,
  options: ArtifactStoreOptions & {
    name: string;
    alive?: ReadonlySet<string>;
    durability?: Durability;
  },
): Promise<ArtifactStore> {
  const { name, alive = new Set([name]), durability = "full", ...rest } = options;
  const driver = await openFsDriver({
    fs,
    root: "/store",
    durability,
    owner: createTestOwner(name, alive),
  });
  return createArtifactStore(driver, rest);
}
