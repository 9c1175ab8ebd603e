import { CliError } from "../cli-error.ts";

const special = /[\\^$.|+()\]}]/;

/** A glob as an expression over a path with slashes: `*`, `**`, `?`, `[a-z]` and `{csv,json}`; a leading dot is matched by name only. */
export function globPattern(glob: string): RegExp {
  let source = "";
  let braces = 0;
  for (let at = 0; at < glob.length; at += 1) {
    const character = glob[at] ?? "";
    const isStart = at === 0 || glob[at - 1] === "/";
    if (glob.startsWith("**/", at) && isStart) {
      source += "(?:(?!\\.)[^/]+/)*";
      at += 2;
    } else if (glob.startsWith("**", at)) {
      source += "(?:(?!\\.)[^/]+/)*(?!\\.)[^/]*";
      at += 1;
    } else if (character === "*") source += isStart ? "(?!\\.)[^/]*" : "[^/]*";
    else if (character === "?") source += "[^/]";
    else if (character === "{") {
      braces += 1;
      source += "(?:";
    } else if (character === "}" && braces > 0) {
      braces -= 1;
      source += ")";
    } else if (character === "," && braces > 0) source += "|";
    else if (character === "[") {
      const end = glob.indexOf("]", at + 2);
      if (end < 0) throw new CliError("usage", `--files ${glob} has a bracket that does not end.`);
      const set = glob
        .slice(at + 1, end)
        .replaceAll("\\", "\\\\")
        .replaceAll("[", "\\[")
        .replace(/^!/, "^");
      source += `[${set}]`;
      at = end;
    } else source += special.test(character) ? `\\${character}` : character;
  }
  if (braces > 0) throw new CliError("usage", `--files ${glob} has a brace that does not end.`);
  try {
    return new RegExp(`^${source}$`, "u");
  } catch (error) {
    throw new CliError("usage", `--files ${glob} is no pattern that can be read.`, {
      cause: error,
    });
  }
}

/** The folders that a glob names before its first wildcard; empty for the root itself. */
export function fixedFolder(glob: string): string {
  const parts = glob.split("/");
  const end = parts.findIndex((part) => /[*?[{]/.test(part));
  return parts.slice(0, end < 0 ? -1 : end).join("/");
}
