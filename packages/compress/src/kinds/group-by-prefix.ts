import type { ContentKind } from "./detect-kind.ts";

/** A line without what it has in common with its neighbours. */
interface PrefixedLine {
  heading?: string | undefined;
  rest: string;
}

/**
 * Hits under their file and paths under their folder; a blank line ends each group, and what stands outside of groups is
 * whole. Undefined for lines that are neither, or of which none have neighbours alike.
 */
export function groupByPrefix(text: string, kind: ContentKind): string | undefined {
  if (kind !== "matches" && kind !== "listing") return undefined;
  const lines = text.replace(/\n$/, "").split("\n");
  const parts = kind === "matches" ? splitHits(lines) : splitPaths(lines);
  if (parts === undefined) return undefined;
  const shown: string[] = [];
  let isOpen = false;
  let groups = 0;
  for (const [at, { heading, rest }] of parts.entries()) {
    const continues = heading !== undefined && heading === parts[at - 1]?.heading;
    if (!continues && isOpen) shown.push("");
    const opens = !continues && heading !== undefined && heading === parts[at + 1]?.heading;
    if (opens) shown.push(heading);
    if (opens) groups += 1;
    isOpen = opens || (continues && isOpen);
    shown.push(isOpen ? rest : (lines[at] ?? ""));
  }
  return groups === 0 ? undefined : shown.join("\n");
}

const hit = /^([^\s:]+):\d+:/;

/** `file:12:text`, lines around it as `file-11-text`, and `--` between pieces of one file. */
function splitHits(lines: readonly string[]): PrefixedLine[] | undefined {
  const parts: PrefixedLine[] = [];
  let file: string | undefined;
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at] ?? "";
    const own = hit.exec(line)?.[1];
    const near = own ?? [file, previousFile(lines, at)].find((name) => isAround(line, name));
    if (near === undefined && line !== "--") return undefined;
    if (line !== "--") file = near;
    parts.push(
      near === undefined ? { rest: line } : { heading: near, rest: line.slice(near.length + 1) },
    );
  }
  parts.reverse();
  for (const [at, part] of parts.entries()) {
    const before = parts[at - 1]?.heading;
    if (part.heading === undefined && before === parts[at + 1]?.heading) part.heading = before;
  }
  return parts;
}

function isAround(line: string, file: string | undefined): boolean {
  return (
    file !== undefined && line.startsWith(`${file}-`) && /^\d+-/.test(line.slice(file.length + 1))
  );
}

/** Lines around a hit that are looked at for its file. */
const maxAround = 20;

function previousFile(lines: readonly string[], at: number): string | undefined {
  for (let before = at - 1; before >= Math.max(0, at - maxAround); before -= 1) {
    const file = hit.exec(lines[before] ?? "")?.[1];
    if (file !== undefined) return file;
  }
  return undefined;
}

function splitPaths(lines: readonly string[]): PrefixedLine[] | undefined {
  const parts: PrefixedLine[] = [];
  for (const line of lines) {
    if (!/^[^\s:]+$/.test(line)) return undefined;
    const end = line.lastIndexOf("/", line.length - 2) + 1;
    parts.push(
      end === 0 ? { rest: line } : { heading: `${line.slice(0, end)}:`, rest: line.slice(end) },
    );
  }
  return parts;
}
