import { redactSecrets, type TokenCounter } from "@ccl/core";

import { cleanLine } from "../card/card-lines.ts";
import type { AliasChange, Delta } from "./snapshot.ts";
import { createAdditionPatch } from "./text-patch.ts";

/** The hunks of one file. */
interface FileHunks {
  alias: string;
  path: string;
  hunks: string[];
}

/**
 * The changes of files as unified diffs by alias, whole hunks as far as the room goes: small files first, so that as
 * many as possible are complete; a mark says what is left out. Empty where there is nothing to show.
 */
export function renderHunks(
  delta: Delta,
  { room, counter }: { room: number; counter: TokenCounter },
): string[] {
  const files = delta.changes.flatMap(hunksOf);
  const sizes = new Map(files.map((file) => [file, counter.count(file.hunks.join("\n"))]));
  const order = [...files].sort((a, b) => (sizes.get(a) ?? 0) - (sizes.get(b) ?? 0));
  const shown = new Map<FileHunks, string[]>();
  let left = room - counter.count("HUNKS:\n");
  for (const file of order) {
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
  return blocks.length === 0 ? [] : ["HUNKS:", ...blocks];
}

function markOf({ alias }: FileHunks, count: number): string {
  return `... +${count} hunks, get_alias("${cleanLine(alias)}")`;
}

function hunksOf(change: AliasChange): FileHunks[] {
  const { alias, type } = change;
  if (type === "removed") return [];
  const path = type === "added" ? change.entry.path : change.path;
  const text = type === "added" ? change.entry.text : change.text;
  const isMoved = type === "added" && change.was !== undefined && change.was.isSame;
  const whole = text === undefined || isMoved ? undefined : createAdditionPatch(text, alias);
  const patch = type === "changed" ? (change.patch ?? whole) : whole;
  const start = patch === undefined ? -1 : patch.search(/^@@/m);
  if (patch === undefined || start < 0) return [];
  const hunks = patch
    .slice(start)
    .replace(/\n$/, "")
    .split(/\n(?=@@ )/);
  return [{ alias, path, hunks: maskHunks(hunks, text ?? "") }];
}

const notShown = "+... not shown, as it holds a secret";

/**
 * Masks without the marks in front of lines. A hunk that shows a part of a secret of several lines, such as the middle
 * of a key, is left out: by itself it does not look like one.
 */
function maskHunks(hunks: readonly string[], text: string): string[] {
  const secrets = linesOfSecrets(text);
  return hunks.map((hunk) => {
    const [head = "", ...lines] = hunk.split("\n");
    const [, start = "0", count = "1"] = /\+(\d+)(?:,(\d+))?/.exec(head) ?? [];
    const first = Number(start);
    const isPart = secrets.some(
      (secret) => secret.first < first + Number(count) && secret.last >= first,
    );
    const bare = lines.map((line) => line.slice(1)).join("\n");
    const masked = redactSecrets(bare).text;
    if (isPart) return `${head}\n${notShown}`;
    if (masked === bare) return hunk;
    const own = masked.split("\n");
    return own.length === lines.length
      ? [head, ...own.map((line, at) => `${lines[at]?.[0] ?? " "}${line}`)].join("\n")
      : `${head}\n${notShown}`;
  });
}

/** Where secrets of several lines stand, from 1. */
function linesOfSecrets(text: string): { first: number; last: number }[] {
  let line = 1;
  let at = 0;
  return redactSecrets(text).findings.flatMap(({ start, end }) => {
    const first = line + text.slice(at, start).split("\n").length - 1;
    const last = first + text.slice(start, end).split("\n").length - 1;
    [line, at] = [last, end];
    return last > first ? [{ first, last }] : [];
  });
}
