const NAME = /^[\w.@~+()[\]-]+(?:[\\/][\w.@~+()[\]-]+)*$/;

/** The path in a line that holds nothing else. It may be a heading, bold, in backquotes or followed by a colon. */
export function pathIn(line: string): string | undefined {
  const bare = line
    .trim()
    .replace(/^(?:#{1,6}|[-*]|\d+\.)\s+/, "")
    .replace(/^(?:\/\/|#|File:|Path:)\s*/i, "")
    .replace(/^\*\*(.*?)\*\*:?$/, "$1")
    .replace(/:$/, "")
    .replace(/^`(.*)`$/, "$1")
    .trim()
    .replace(/^\//, "");
  const isRooted = /^\/[^/]/.test(line.trim().replace(/^[`*#\s]+/, ""));
  const isPath = NAME.test(bare) && (bare.includes("/") || /\.\w{1,8}$|^[A-Z]\w+file$/.test(bare));
  return isPath ? (isRooted ? `/${bare}` : bare) : undefined;
}

/** The path after the opening of a fence, as in "js src/a.js" or "js title=src/a.js". */
export function pathOfInfo(info: string): string | undefined {
  const words = info.split(/[\s:]+/).map((word) => word.replace(/^(?:path|file|title)=/, ""));
  const named = words.map((word) => word.replace(/^"(.*)"$/, "$1"));
  return named.find((word) => word.includes("/") || /^[\w-]+\.[a-z]\w{0,5}$/i.test(word));
}
