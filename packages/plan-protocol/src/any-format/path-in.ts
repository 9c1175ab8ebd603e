const NAME = /^\/?[\p{L}\p{M}\p{N}_.@~+()[\]$#-]+(?:[\\/][\p{L}\p{M}\p{N}_.@~+()[\]$#-]+)*$/u;
const DECORATION =
  /^(?:#{1,6}|[-*]|\d+[.)]|\p{Extended_Pictographic}\uFE0F?)\s+|\s+\((?:new file|new|created|modified|updated|changed)\)$|^(?:\/\/|#|(?:(?:New )?File|Path|Filename)(?: \d+)?:)\s*|^(\*\*?|`)(.+)\1$|^\[(.+)\]\([^()\s]*\)$|:$/iu;
/** A folder, an extension, or a name that needs none. */
const PATH =
  /.\/|\.\w{1,8}$|^\.[a-z][\w.-]*$|\.properties$|^\/?[A-Z]\w+file$|^(?:LICENSE|README|CHANGELOG|NOTICE|CODEOWNERS)$/;

/**
 * Returns the path on a line that contains nothing else. It may be a heading, bold, in backticks or followed by a
 * colon.
 */
export function pathIn(line: string): string | undefined {
  let path = line.trim();
  for (let before = ""; before !== path;) {
    before = path;
    path = path.replace(DECORATION, "$2$3").trim();
  }
  return PATH.test(path) && NAME.test(path) ? path : undefined;
}

/** Returns the only path in backticks on a line of prose, as in "Update `src/a.js`:". */
export function pathNamedIn(line: string): string | undefined {
  const paths = [...line.matchAll(/`([^`\s]+)`/g)].flatMap(([, word = ""]) => pathIn(word) ?? []);
  return paths.length === 1 ? paths[0] : undefined;
}

/** Returns the paths on a line of prose, in backticks or not. */
export function pathsIn(line: string): string[] {
  return line.split(/[\s`"',;:()]+/).flatMap((word) => pathIn(word.replace(/\.$/, "")) ?? []);
}

/** Returns the path in a fence's info string, as in "js src/a.js" or "js title=src/a.js". */
export function pathOfInfo(info: string): string | undefined {
  // A line range shows only part of a file.
  if (/\d+:\d+/.test(info)) return undefined;
  const words = info.split(/[\s:]+/).map((word) => word.replace(/^\w+=/, ""));
  const named = words.map((word) => word.replace(/^["'{](.*)["'}]$/, "$1"));
  return named.find((word) => pathIn(word) === word);
}

/** Returns the path in a comment that contains nothing else, such as a file's first line. */
export function pathInComment(line: string): string | undefined {
  const [, text] =
    /^\s*(?:\/\/|#|--|;|<!--|\{?\/\*+|\*|""")\s*(.*?)\s*(?:-->|\*\/\}?|""")?$/.exec(line) ?? [];
  return text === undefined ? undefined : pathIn(text);
}
