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
  const afterLead: PromptInsert[] = [];
  const issues: Issue[] = [];
  const { leadCount, userIndex, groupAt } = layout;

  const refuse = ({ path }: PromptInsert, message: string, code = "invalid_anchor"): void =>
    void issues.push({ code, path, message });
  const clamp = ({ contributor }: PromptInsert, reason: ClampedAnchor["reason"]): void =>
    void report.clamped.push({ contributor, reason });
  const clampAfterLead = (insert: PromptInsert, reason: ClampedAnchor["reason"]): void => {
    clamp(insert, reason);
    afterLead.push(insert);
  };

  const bindAt = (insert: PromptInsert, index: number): void => {
    const { contributor, place } = insert;
    const group = groupAt[index];
    if (group === undefined) {
      if (place === "replace")
        refuse(insert, "An insert cannot replace a system message; use prompt.system_update.");
      else if (index === leadCount - 1 && place === "after") afterLead.push(insert);
      else clampAfterLead(insert, "beyond_start");
    } else if (place === "replace") {
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
    } else {
      const edge = place === "before" ? group.start : group.end - 1;
      if (edge !== index) clamp(insert, "inside_tool_calls");
      group[place].push(insert);
    }
  };

  const bindOffset = (insert: PromptInsert, offset: number): void => {
    const index = base.length + offset;
    if (!Number.isSafeInteger(offset) || offset > 0)
      refuse(
        insert,
        `A depth is a whole number of 0 or less, counted from the end, not ${offset}.`,
      );
    else if (index < leadCount) clampAfterLead(insert, "beyond_start");
    // In an empty history, the tail is directly after the leading block.
    else if (base.length === leadCount) afterLead.push(insert);
    else if (offset < 0) bindAt(insert, index);
    else {
      if (insert.place === "replace") clamp(insert, "nothing_to_replace");
      bindAt({ ...insert, place: "after" }, index - 1);
    }
  };

  const outside = inserts.filter((insert) => {
    const { anchor } = insert;
    if (anchor === "last_user") {
      if (userIndex >= 0) bindAt(insert, userIndex);
      else refuse(insert, "There is no user message to insert at; the base needs one.");
      return false;
    }
    if ("offset" in anchor) {
      bindOffset(insert, anchor.offset);
      return false;
    }
    const index = base.findIndex(({ id }) => id === anchor.messageId);
    if (index >= 0) bindAt(insert, index);
    return index < 0;
  });
  for (const insert of outside) {
    const { onAnchorTrimmed, contributor, anchor } = insert;
    if (onAnchorTrimmed === "fail") {
      const message = `The message at ${JSON.stringify(anchor)} is not in the window; allow more tokens, or let onAnchorTrimmed be "boundary" or "drop".`;
      refuse(insert, message, "anchor_trimmed");
    } else if (onAnchorTrimmed === "drop")
      report.dropped.push({ contributor, reason: "anchor_trimmed" });
    else clampAfterLead(insert, "anchor_trimmed");
  }
  return { afterLead, issues };
}
