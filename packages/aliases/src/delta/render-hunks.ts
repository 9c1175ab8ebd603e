import { redactSecrets, type TokenCounter } from "@ccl/core";

import { cleanLine } from "../card/card-lines.ts";
import type { AliasChange, Delta } from "./snapshot.ts";
import { createAdditionPatch } from "./text-patch.ts";

/** The hunks of a file. */
interface FileHunks {
  alias: string;
  path: string;
  hunks: string[];
}

/**
 * Renders file changes as unified diffs by alias, in whole hunks that fit the room. Small files
 * come first, so that more of them are complete. Marks show what was omitted. Returns an empty list
 * if there is nothing to show or no room for a mark.
 */
export function renderHunks(
  delta: Delta,
  { room, counter }: { room: number; counter: TokenCounter },
): string[] {
  const files = delta.changes.flatMap(hunksOf);
  const order = files
    .map((file) => ({ file, tokens: counter.count(file.hunks.join("\n")) }))
    .sort((a, b) => a.tokens - b.tokens);
  const shown = new Map<FileHunks, string[]>();
  let left = room - counter.count(`HUNKS:\n${hiddenMark(files.length)}\n`);
  if (files.length === 0 || left < 0) return [];
  for (const { file } of order) {
    const mark = markOf(file, file.hunks.length);
    const head = `--- ${cleanLine(file.alias)} ${cleanLine(file.path)}`;
    left -= counter.count(`${head}\n${mark}\n`);
    if (left < 0) break;
    const lines = [head];
    for (const [index, hunk] of file.hunks.entries()) {
      const cost = counter.count(`${hunk}\n`);
      if (cost > left) {
        lines.push(markOf(file, file.hunks.length - index));
        break;
      }
      left -= cost;
      lines.push(hunk);
    }
    if (lines.length > 1) shown.set(file, lines);
  }
  const blocks = files.flatMap((file) => shown.get(file) ?? []);
  const hidden = files.length - shown.size;
  return ["HUNKS:", ...blocks, ...(hidden === 0 ? [] : [hiddenMark(hidden)])];
}

function hiddenMark(count: number): string {
  return `... hunks of +${count} files, get_alias gives each`;
}

function markOf({ alias }: FileHunks, count: number): string {
  return `... +${count} hunks, get_alias("${cleanLine(alias)}")`;
}

function hunksOf(change: AliasChange): FileHunks[] {
  const { alias, type } = change;
  if (type === "removed") return [];
  const path = type === "added" ? change.entry.path : change.path;
  const text = type === "added" ? change.entry.text : change.text;
  const whole =
    text === undefined ? undefined : createAdditionPatch(redactSecrets(text).text, alias);
  const patch = type === "changed" ? (change.maskedPatch ?? change.patch ?? whole) : whole;
  const start = patch === undefined ? -1 : patch.search(/^@@/m);
  if (patch === undefined || start < 0) return [];
  const hunks = patch
    .slice(start)
    .replace(/\n$/, "")
    .split(/\n(?=@@ )/);
  return [{ alias, path, hunks }];
}
