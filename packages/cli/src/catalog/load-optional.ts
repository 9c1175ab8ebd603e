import { createRequire } from "node:module";
import { join } from "node:path";

import { isRecord } from "@ccl/core/json";

import type { Session } from "../session.ts";

/**
 * Loads an export of an optional library that is installed in the project or next to ccl. Undefined if neither has it.
 * The library is the project's dependency, so the lookup starts at the project's folder.
 */
export function loadExport(
  { root }: Pick<Session, "root">,
  library: "pg" | "hyparquet",
  name: string,
): unknown {
  for (const from of [join(root, "package.json"), import.meta.url]) {
    const load = createRequire(from);
    try {
      load.resolve(library);
    } catch {
      continue;
    }
    const loaded: unknown = load(library);
    return isRecord(loaded) ? loaded[name] : undefined;
  }
  return undefined;
}
