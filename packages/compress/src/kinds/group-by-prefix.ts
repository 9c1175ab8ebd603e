import type { ContentKind } from "./identify.ts";

/** The prefix that a line may share with its neighbours, and the rest of the line. */
const prefixes: Partial<Record<ContentKind, RegExp>> = {
  matches: /^([^\s:]+):(\d+:.*)$/,
  listing: /^([^\s:]*\/)?([^\s:/]+\/?)$/,
};

/**
 * Groups search hits under their file and paths under their folder. A blank line ends each group,
 * and lines outside of groups stay whole. Undefined if the lines are of neither kind, or if no
 * neighbouring lines share a prefix.
 */
export function groupByPrefix(text: string, kind: ContentKind): string | undefined {
  const prefix = prefixes[kind];
  if (prefix === undefined) return undefined;
  const lines = text.replace(/\n$/, "").split("\n");
  const parts = lines.map((line) => prefix.exec(line));
  if (parts.includes(null)) return undefined;
  const shown: string[] = [];
  let isOpen = false;
  for (const [at, part] of parts.entries()) {
    const heading = part?.[1];
    const continues = heading !== undefined && heading === parts[at - 1]?.[1];
    if (!continues && at > 0 && isOpen) shown.push("");
    const opens = !continues && heading !== undefined && heading === parts[at + 1]?.[1];
    if (opens) shown.push(kind === "listing" ? `${heading}:` : heading);
    isOpen = opens || (continues && isOpen);
    shown.push(isOpen ? (part?.[2] ?? "") : (lines[at] ?? ""));
  }
  return shown.length === lines.length ? undefined : shown.join("\n");
}
