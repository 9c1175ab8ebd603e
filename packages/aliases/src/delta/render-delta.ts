import { cleanLine } from "../card/card-lines.ts";
import type { AliasChange, Delta } from "./snapshot.ts";

/** The prompt of an iteration: BASE, DELTA in words, and ACTION where one is given. No final line feed. */
export function renderDelta(delta: Delta, options: { action?: string | undefined } = {}): string {
  const lines = delta.changes.flatMap((change) =>
    linesOf(change).map((line) => `- ${cleanLine(change.alias)}: ${line}`),
  );
  const action = options.action === undefined ? [] : [`ACTION: ${options.action}`];
  return [
    `BASE: ${delta.baseId}`,
    "DELTA:",
    ...(lines.length > 0 ? lines : ["- no changes"]),
    ...action,
  ].join("\n");
}

function linesOf(change: AliasChange): string[] {
  if (change.type === "changed") return change.notes;
  return [
    change.type === "added"
      ? `added (${cleanLine(change.entry.path)})`
      : `removed (${cleanLine(change.path)})`,
  ];
}
