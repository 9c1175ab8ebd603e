import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";

import type { AliasRegistry } from "@ccl/aliases";
import type { Issue } from "@ccl/core";

import { inputError } from "./cli-error.ts";
import type { SkippedFiles } from "./project.ts";

/** Aliases for what the user named: aliases, files, or folders with all that is in them. */
export function findFocus(
  registry: AliasRegistry,
  names: string[],
  { flag = "--focus ", skipped = [] }: { flag?: string; skipped?: SkippedFiles } = {},
): string[] {
  const entries = registry.list();
  const issues: Issue[] = [];
  const found = names.flatMap((name, index) => {
    const path = relative(registry.root, resolve(registry.root, name)).replaceAll("\\", "/");
    const matches = entries.filter(
      (entry) =>
        entry.alias === name ||
        entry.path === path ||
        entry.path.startsWith(`${path}/`) ||
        path === "",
    );
    if (matches.length > 0) return matches.map((entry) => entry.alias);
    const near = entries.find((entry) => entry.path.toLowerCase().endsWith(path.toLowerCase()));
    const hint = near === undefined ? '"ccl pack" shows both.' : `Did you mean ${near.path}?`;
    const reason =
      skipped.find((file) => file.path === path)?.reason ??
      "by an ignore file, --include, --ignore or the settings, or as a lock file or a file of secrets";
    const message = existsSync(resolve(registry.root, path))
      ? `${flag}${name} is in no pack; it is left out: ${reason}.`
      : `${flag}${name} is neither an alias nor the path of a named file. ${hint}`;
    issues.push({ code: "focus_unknown", path: ["focus", index], message });
    return [];
  });
  if (issues.length > 0) throw inputError(issues);
  return [...new Set(found)];
}
