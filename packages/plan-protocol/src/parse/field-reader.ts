import { type PlanIssue, quote } from "../plan-issue.ts";
import type { PlanIssueCode } from "../plan-issue-code.ts";

/** Members in which models say why; they change nothing. */
const REMARKS: ReadonlySet<string> = new Set(["reason", "explanation"]);

/** Reads the members of one object of an answer; null counts as absent, since strict formats must write every member. */
export interface FieldReader {
  text(key: string): string | undefined;
  /** A whole number from 1. */
  count(key: string): number | undefined;
  refuse(key: string | undefined, message: string): void;
  /** Refuses members that are neither listed nor null. */
  refuseOthers(known: readonly string[]): void;
}

interface FieldReaderOptions {
  path: (string | number)[];
  issues: PlanIssue[];
  code: PlanIssueCode;
}

/** A reader that adds what it finds wrong to `issues`. */
export function createFieldReader(
  fields: Readonly<Record<string, unknown>>,
  { path, issues, code }: FieldReaderOptions,
): FieldReader {
  const refuse = (key: string | undefined, message: string): void => {
    issues.push({ code, path: key === undefined ? path : [...path, key], message });
  };
  const own = (key: string): unknown => (Object.hasOwn(fields, key) ? fields[key] : undefined);
  return {
    refuse,
    text: (key) => {
      const value = own(key) ?? undefined;
      if (value === undefined || typeof value === "string") return value;
      refuse(key, `${quote(key)} must be a string.`);
      return undefined;
    },
    count: (key) => {
      const value = own(key) ?? undefined;
      if (value === undefined) return undefined;
      if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1) return value;
      refuse(key, `${quote(key)} must be a whole number from 1.`);
      return undefined;
    },
    refuseOthers: (known) => {
      for (const key of Object.keys(fields)) {
        const isRemark = REMARKS.has(key) && typeof fields[key] === "string";
        if (known.includes(key) || fields[key] === null || isRemark) continue;
        refuse(key, `${quote(key)} is not a member here. Known are ${known.join(", ")}.`);
      }
    },
  };
}
