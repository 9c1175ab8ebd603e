import type { Issue } from "@ccl/core";

import type { PlanIssueCode } from "./plan-issue-code.ts";

/** An issue of this package: its code is one of the closed set. */
export interface PlanIssue extends Issue {
  code: PlanIssueCode;
}

/** An issue about a part of a plan or an answer, or about the whole. */
export function planIssue(
  code: PlanIssueCode,
  message: string,
  path: Issue["path"] = [],
): PlanIssue {
  return { code, path, message };
}

/** A result of one issue. */
export function refusal(...issue: Parameters<typeof planIssue>): {
  ok: false;
  issues: PlanIssue[];
} {
  return { ok: false, issues: [planIssue(...issue)] };
}

/** How much of a value a message quotes. */
const QUOTED_CHARACTERS = 80;

/** A value as messages quote it: JSON, shortened, with everything that could steer a terminal escaped. */
export function quote(value: string): string {
  const short =
    value.length > QUOTED_CHARACTERS ? `${value.slice(0, QUOTED_CHARACTERS)}...` : value;
  return JSON.stringify(short).replace(/[^\P{C}\p{Cn}]|[\u2028\u2029]/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
