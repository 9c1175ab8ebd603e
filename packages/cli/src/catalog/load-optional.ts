import { createRequire } from "node:module";
import { join } from "node:path";

import type { Session } from "../session.ts";

/**
 * A library that the project, or the installation of ccl, may have; undefined where neither does. It is the project's own
 * dependency and none of ours, so it is looked up from the project's folder.
 */
export function loadOptional({ root }: Pick<Session, "root">, name: "pg" | "hyparquet"): unknown {
  for (const from of [join(root, "package.json"), import.meta.url]) {
    const load = createRequire(from);
    if (isInstalled(load, name)) return load(name);
  }
  return undefined;
}

function isInstalled(load: NodeJS.Require, name: string): boolean {
  try {
    load.resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** What a library exports under a name, by itself or on its default export. */
export function exportOf(library: unknown, name: string): unknown {
  for (const from of [library, memberOf(library, "default")]) {
    const found = memberOf(from, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function memberOf(value: unknown, name: string): unknown {
  const hasMembers = (typeof value === "object" && value !== null) || typeof value === "function";
  return hasMembers ? Reflect.get(value, name) : undefined;
}
