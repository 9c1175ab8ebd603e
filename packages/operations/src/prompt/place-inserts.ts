import type { ChatMessage, Issue } from "@ccl/core";

import type { ClampedAnchor, PromptInsert, PromptReport } from "./assembled-prompt.ts";
import type { BaseLayout } from "./base-layout.ts";

/**
 * Binds each insert to the layout: around a group of messages or in place of it, never between a tool call and its
 * results. Returns the inserts directly after the leading block.
 */
export function placeInserts(
  inserts: readonly PromptInsert[],
  base: readonly ChatMessage[],
  { layout, report }: { layout: BaseLayout; report: PromptReport },
): { afterLead: PromptInsert[]; issues: Issue[] } {
  const binding: Binding = { base, layout, report, afterLead: [] };
  const outside: PromptInsert[] = [];
  const issues: Issue[] = [];
  for (const insert of inserts) {
    const { anchor, path } = insert;
    let message: string | undefined;
    if (anchor === "last_user") {
      if (layout.userIndex >= 0) message = bindAt(insert, layout.userIndex, binding);
      else message = "There is no user message to insert at; the base needs one.";
    } else if ("offset" in anchor) message = bindOffset(insert, anchor.offset, binding);
    else {
      const index = base.findIndex(({ id }) => id === anchor.messageId);
      if (index < 0) outside.push(insert);
      else message = bindAt(insert, index, binding);
    }
    if (message !== undefined) issues.push({ code: "invalid_anchor", path, message });
  }
  for (const insert of outside) {
    const { onAnchorTrimmed, contributor, path, anchor } = insert;
    if (onAnchorTrimmed === "fail") {
      const message = `The message at ${JSON.stringify(anchor)} is not in the window; allow more tokens, or let onAnchorTrimmed be "boundary" or "drop".`;
      issues.push({ code: "anchor_trimmed", path, message });
    } else if (onAnchorTrimmed === "drop")
      report.dropped.push({ contributor, reason: "anchor_trimmed" });
    else placeAfterLead(insert, "anchor_trimmed", binding);
  }
  return { afterLead: binding.afterLead, issues };
}

interface Binding {
  base: readonly ChatMessage[];
  layout: BaseLayout;
  report: PromptReport;
  afterLead: PromptInsert[];
}

/** Places an insert directly after the leading block, and reports that its anchor differs. */
function placeAfterLead(
  insert: PromptInsert,
  reason: ClampedAnchor["reason"] | undefined,
  { report, afterLead }: Binding,
): void {
  if (reason !== undefined) report.clamped.push({ contributor: insert.contributor, reason });
  afterLead.push(insert);
}

/** Binds an insert. Returns the reason if it cannot be bound. */
function bindOffset(insert: PromptInsert, offset: number, binding: Binding): string | undefined {
  const { base, layout, report } = binding;
  if (!Number.isSafeInteger(offset) || offset > 0)
    return `A depth is a whole number of 0 or less, counted from the end, not ${offset}.`;
  const index = base.length + offset;
  const isBeyond = index < layout.leadCount;
  // In an empty history, the tail is directly after the leading block.
  if (isBeyond || base.length === layout.leadCount) {
    placeAfterLead(insert, isBeyond ? "beyond_start" : undefined, binding);
    return undefined;
  }
  if (index < base.length) return bindAt(insert, index, binding);
  const { contributor, place } = insert;
  if (place === "replace") report.clamped.push({ contributor, reason: "nothing_to_replace" });
  return bindAt({ ...insert, place: "after" }, base.length - 1, binding);
}

function bindAt(insert: PromptInsert, index: number, binding: Binding): string | undefined {
  const { base, layout, report } = binding;
  const { contributor, place } = insert;
  const group = layout.groupAt[index];
  if (group === undefined) {
    if (place === "replace")
      return "An insert cannot replace a system message; use prompt.system_update.";
    const isLast = index === layout.leadCount - 1 && place === "after";
    placeAfterLead(insert, isLast ? undefined : "beyond_start", binding);
    return undefined;
  }
  if (place === "replace") {
    const former = group.replacement?.contributor;
    const known = report.replaced.find(({ by }) => by === former);
    if (former !== undefined && known !== undefined) {
      report.overridden.push({ contributor: former, by: contributor });
      known.by = contributor;
    } else {
      const messageIds = base.slice(group.start, group.end).map(({ id }) => id);
      report.replaced.push({ messageIds, by: contributor });
    }
    group.replacement = insert;
    return undefined;
  }
  const edge = place === "before" ? group.start : group.end - 1;
  if (edge !== index) report.clamped.push({ contributor, reason: "inside_tool_calls" });
  group[place].push(insert);
  return undefined;
}
