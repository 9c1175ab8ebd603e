import type { ResourceDetails } from "@ccl/catalog";
import { QueryError } from "../query-error.ts";

/** Bytes or text of a file, as a whole or in pieces. */
export type FileContent = Uint8Array | string | AsyncIterable<Uint8Array | string>;

/**
 * Creates a reader for a folder and its subfolders. A resource's file is the longest suffix of its address that
 * exists in the folder. Links are followed if they stay inside.
 */
export function folderReader(folder: string): (resource: ResourceDetails) => Promise<FileContent> {
  return async ({ id, uri }) => {
    const files = globalThis.process?.getBuiltinModule?.("node:fs/promises");
    const paths = globalThis.process?.getBuiltinModule?.("node:path");
    if (files === undefined || paths === undefined)
      throw new QueryError("invalid_options", "A folder needs Node; pass read instead.");
    const refused = new QueryError(
      "source_failed",
      `${JSON.stringify(id.slice(0, 200))} is not a file within the folder.`,
      { details: { resource: id } },
    );
    const parts = partsOf(uri ?? id);
    const isHostile = parts.some((part) => part === ".." || /[\0\\]/.test(part));
    if (isHostile) throw refused;
    const root = await files.realpath(folder);
    for (let at = 0; at < parts.length; at++) {
      const path = await files
        .realpath(paths.join(root, ...parts.slice(at)))
        .catch(() => undefined);
      if (path === undefined) continue;
      if (!path.startsWith(root.endsWith(paths.sep) ? root : root + paths.sep)) throw refused;
      const file = await files.open(path, "r");
      if ((await file.stat()).isFile()) return file.createReadStream();
      await file.close();
    }
    throw refused;
  };
}

function partsOf(address: string): string[] {
  const [path = ""] = address.split(/[?#]/);
  try {
    return path
      .split("/")
      .flatMap((part) => decodeURIComponent(part).split("/"))
      .filter((part) => part !== "" && part !== ".");
  } catch {
    return [];
  }
}
