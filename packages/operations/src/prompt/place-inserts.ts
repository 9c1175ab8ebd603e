import type { ChatMessage, Issue, Result } from "@ccl/core";
import { success } from "@ccl/core";

import type { ClampedAnchor, PromptReport } from "./assembled-prompt.ts";
import { type BaseLayout, groupAt } from "./base-layout.ts";
import type { PromptInsert } from "./prompt-insert.ts";

/** Inserts by the place that they are bound to, each list in commit order. */
export interface PlacedInserts {
  /** Right behind the leading block. */
  afterLead: PromptInsert[];
  /** Anchored to messages that are not in the base. */
  outside: PromptInsert[];
  /** By the index of the message that they stand before. */
  before: Map<number, PromptInsert[]>;
  /** By the index of the message that they stand behind. */
  after: Map<number, PromptInsert[]>;
  /** By the index of the first message of the group that they replace. */
  replacements: Map<number, PromptInsert>;
}

interface Binding {
  base: readonly ChatMessage[];
  layout: BaseLayout;
  indexOf: (messageId: string) => number | undefined;
  placed: PlacedInserts;
  report: PromptReport;
  /** What the report says of each replacement, by the index of its group's first message. */
  replaced: Map<number, PromptReport["replaced"][number]>;
}

/** Binds each insert to a message of the base. Never between a tool call and its results, never before the leading block. */
export function placeInserts(
  inserts: readonly PromptInsert[],
  { base, layout, report }: Pick<Binding, "base" | "layout" | "report">,
): Result<PlacedInserts> {
  const placed: PlacedInserts = {
    afterLead: [],
    outside: [],
    before: new Map(),
    after: new Map(),
    replacements: new Map(),
  };
  const binding: Binding = {
    base,
    layout,
    report,
    placed,
    indexOf: indexById(base),
    replaced: new Map(),
  };
  const issues: Issue[] = [];
  for (const insert of inserts) {
    const message = bind(insert, binding);
    if (message !== undefined) issues.push({ code: "invalid_anchor", path: insert.path, message });
  }
  const failed = placed.outside
    .filter(({ onAnchorTrimmed }) => onAnchorTrimmed === "fail")
    .map(trimmedIssue);
  if (issues.length + failed.length > 0) return { ok: false, issues: [...issues, ...failed] };
  placed.outside = placed.outside.filter((insert) => {
    const isKept = insert.onAnchorTrimmed === "boundary";
    if (isKept) clamp(insert, "anchor_trimmed", report);
    else report.dropped.push({ contributor: insert.contributor, reason: "anchor_trimmed" });
    return isKept;
  });
  return success(placed);
}

/** The issue of an insert that may not do without its anchor. */
function trimmedIssue({ path, anchor }: PromptInsert): Issue {
  const message = `The message at ${JSON.stringify(anchor)} is not in the window; allow more tokens, or let onAnchorTrimmed be "boundary" or "drop".`;
  return { code: "anchor_trimmed", path, message };
}

/** Reports that an insert stands elsewhere than its anchor says. */
function clamp(
  { contributor }: PromptInsert,
  reason: ClampedAnchor["reason"],
  report: PromptReport,
): void {
  report.clamped.push({ contributor, reason });
}

/** Binds one insert, or says why it cannot be bound. */
function bind(insert: PromptInsert, binding: Binding): string | undefined {
  const { anchor } = insert;
  const { layout, placed } = binding;
  if (anchor === "last_user") {
    if (layout.userIndex === undefined)
      return "There is no message of the user to insert at; the base needs one.";
    return bindAt(insert, layout.userIndex, binding);
  }
  if ("offset" in anchor) return bindOffset(insert, anchor.offset, binding);
  const index = binding.indexOf(anchor.messageId);
  if (index !== undefined) return bindAt(insert, index, binding);
  placed.outside.push(insert);
  return undefined;
}

function bindOffset(insert: PromptInsert, offset: number, binding: Binding): string | undefined {
  const { base, layout, placed, report } = binding;
  if (!Number.isSafeInteger(offset) || offset > 0) {
    return `A depth is a whole number of 0 or less, counted from the end, not ${offset}.`;
  }
  const index = base.length + offset;
  if (index < layout.leadCount || base.length === layout.leadCount) {
    // An empty history has its tail right behind the leading block.
    if (index < layout.leadCount) clamp(insert, "beyond_start", report);
    placed.afterLead.push(insert);
    return undefined;
  }
  if (index < base.length) return bindAt(insert, index, binding);
  if (insert.place === "replace") clamp(insert, "nothing_to_replace", report);
  return bindAt({ ...insert, place: "after" }, base.length - 1, binding);
}

function bindAt(insert: PromptInsert, index: number, binding: Binding): string | undefined {
  const { base, layout, placed, report, replaced } = binding;
  const group = groupAt(layout, index);
  if (group === undefined) {
    if (insert.place === "replace")
      return "An insert cannot replace a system message; use prompt.system_update.";
    const isLast = index === layout.leadCount - 1 && insert.place === "after";
    if (!isLast) clamp(insert, "beyond_start", report);
    placed.afterLead.push(insert);
    return undefined;
  }
  if (insert.place === "replace") {
    const former = placed.replacements.get(group.start);
    if (former === undefined) {
      const messageIds = base.slice(group.start, group.end).map(({ id }) => id);
      const entry = { messageIds, by: insert.contributor };
      replaced.set(group.start, entry);
      report.replaced.push(entry);
    } else {
      report.overridden.push({ contributor: former.contributor, by: insert.contributor });
      const entry = replaced.get(group.start);
      if (entry !== undefined) entry.by = insert.contributor;
    }
    placed.replacements.set(group.start, insert);
    return undefined;
  }
  const edge = insert.place === "before" ? group.start : group.end - 1;
  if (edge !== index) clamp(insert, "inside_tool_calls", report);
  pushAt(insert.place === "before" ? placed.before : placed.after, edge, insert);
  return undefined;
}

function pushAt(lists: Map<number, PromptInsert[]>, index: number, insert: PromptInsert): void {
  const list = lists.get(index);
  if (list === undefined) lists.set(index, [insert]);
  else list.push(insert);
}

/** Reads the base only once something is anchored to an id. The first of two messages with one id counts. */
function indexById(base: readonly ChatMessage[]): (messageId: string) => number | undefined {
  let indexes: Map<string, number> | undefined;
  return (messageId) => {
    if (indexes === undefined) {
      indexes = new Map();
      for (const [index, { id }] of base.entries()) {
        if (id !== undefined && !indexes.has(id)) indexes.set(id, index);
      }
    }
    return indexes.get(messageId);
  };
}
