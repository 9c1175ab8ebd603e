import {
  ArtifactStoreError,
  type ArtifactStore,
  type ArtifactStoreOptions,
} from "@ccl/artifact-store";
import { createArtifactStore } from "@ccl/artifact-store/driver";
import type { Durability } from "@ccl/core/node";
import { resolve } from "node:path";
import { openFsDriver } from "./driver/fs-driver.ts";
import { nodeFileSystem } from "./file-system/node-file-system.ts";
import { createOwner } from "./owner.ts";

/** Options of a store of files. */
export interface FsArtifactStoreOptions extends ArtifactStoreOptions {
  /**
   * The store's own folder, on a file system with hard links. Created if missing. It may be a symbolic link but may not
   * contain any.
   */
  folder: string;
  /** `full` by default: every file and its names are synced before a call resolves. */
  durability?: Durability | undefined;
}

/**
 * Opens a store of plain files. Several processes may open it at the same time. Only limits need a lock. A read-only
 * folder can be opened and read.
 * @throws ArtifactStoreError `invalid_input`, `unsupported` if something else has the name of a folder, `unavailable`
 */
export async function openFsArtifactStore(options: FsArtifactStoreOptions): Promise<ArtifactStore> {
  const { folder, durability = "full", ...rest } = options;
  if (typeof folder !== "string" || folder === "" || folder.includes("\0")) {
    throw new ArtifactStoreError(
      "invalid_input",
      "The folder is not a path; name the store's folder.",
    );
  }
  if (!["full", "normal", "off"].includes(durability)) {
    throw new ArtifactStoreError(
      "invalid_input",
      `The durability is "${durability}"; pass full, normal or off.`,
    );
  }
  try {
    const driver = await openFsDriver({
      fs: nodeFileSystem,
      root: resolve(folder),
      durability,
      owner: await createOwner(),
    });
    return createArtifactStore(driver, rest);
  } catch (error) {
    if (ArtifactStoreError.isInstance(error)) throw error;
    throw new ArtifactStoreError(
      "unavailable",
      `The store in "${folder}" could not be opened; see the cause.`,
      {
        cause: error,
      },
    );
  }
}
