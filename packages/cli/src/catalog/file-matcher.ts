import { createPathMatcher } from "@ccl/core/glob";

import { CliError } from "../cli-error.ts";

/** Creates a test of paths for a flag's glob. Wildcards do not match a leading dot. @throws CliError `usage` */
export function fileMatcher(glob: string): (path: string) => boolean {
  const fits = createPathMatcher(glob, { hasBraces: true, skipsDotNames: true });
  const plain = glob.replace(/\[[^\]][^\]]*\]/g, "");
  const open = ["[", "{"].find((bracket) => plain.replace(/\{[^{}]*\}/g, "").includes(bracket));
  if (open !== undefined)
    throw new CliError("usage", `--files ${glob} has a ${open} that does not end.`);
  if (fits === undefined) throw new CliError("usage", `--files ${glob} has too many alternatives.`);
  return fits;
}

/** The folders that a glob names before its first wildcard. Empty for the root. */
export function fixedFolder(glob: string): string {
  const parts = glob.split("/");
  const end = parts.findIndex((part) => /[*?[{]/.test(part));
  return parts.slice(0, end < 0 ? -1 : end).join("/");
}
