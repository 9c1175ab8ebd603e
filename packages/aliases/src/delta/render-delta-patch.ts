import { cleanLine } from "../card/card-lines.ts";
import type { AliasChange, Delta } from "./snapshot.ts";
import { createAdditionPatch } from "./text-patch.ts";

/** The content of `ctx/delta.patch`: a unified diff by alias. What has no diff stands as a line starting with `#`. */
export function renderDeltaPatch(delta: Delta): string {
  const head = `# ${delta.baseId} -> ${delta.nextId}\n`;
  return head + delta.changes.map((change) => renderChange(change)).join("");
}

function renderChange(change: AliasChange): string {
  const { alias } = change;
  if (change.type === "removed") return `# ${alias} removed (${cleanLine(change.path)})\n`;
  if (change.type === "changed" && change.patch !== undefined) return change.patch;
  const { text, sha256 } = change.type === "added" ? change.entry : change;
  const name = `${alias}@${sha256.slice(0, 8)}`;
  if (text === undefined) return `# ${name} ${change.type}, text not kept\n`;
  return createAdditionPatch(text, name);
}
