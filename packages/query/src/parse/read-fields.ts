import { isRecord } from "@ccl/core/json";
import type { Issue } from "@ccl/core";
import { nearestHint } from "../plan/nearest-name.ts";
import {
  PlanSyntaxError,
  parseIssue,
  quoted,
  type IssuePath,
  type PlanParseIssueCode,
} from "./parse-issue.ts";
import { planLimits } from "./plan-limits.ts";
import { TokenReader, type NodeCount } from "./token-reader.ts";

/** State shared by the readers of one document. */
export interface ReadContext {
  readonly count: NodeCount;
  readonly issues: Issue[];
}

/** Reads one value in a document, which may be absent. Returns a placeholder after reporting an issue. */
export type Read<T> = (context: ReadContext, value: unknown, path: IssuePath) => T;

/** The fields of an object, by name. */
export interface Fields {
  get<T>(name: string, read: Read<T>): T;
  /** Returns undefined if the field is absent or null. */
  optional<T>(name: string, read: Read<T>): T | undefined;
  /** Reports an issue with the object or one of its fields. Returns undefined. */
  fail(code: PlanParseIssueCode, message: string, field?: string): undefined;
}

/** Reports an issue. Returns undefined. */
export function report(
  { issues }: ReadContext,
  code: PlanParseIssueCode,
  path: IssuePath,
  message: string,
): undefined {
  issues.push(parseIssue(code, path, message));
  return undefined;
}

/** Reads the fields of an object. Reports all fields that were not read, before issues with the others. */
export const readFields =
  <T>(read: (fields: Fields) => T): Read<T> =>
  (context, object, path) => {
    const before = context.issues.length;
    const asked = new Set<string>();
    const given = isRecord(object) ? object : {};
    const get = <V>(name: string, readValue: Read<V>): V => {
      asked.add(name);
      return readValue(context, given[name], [...path, name]);
    };
    const value = read({
      get,
      optional: (name, readValue) =>
        get(name, (_, field, at) => (isAbsent(field) ? undefined : readValue(context, field, at))),
      fail: (code, message, field) =>
        report(context, code, field === undefined ? path : [...path, field], message),
    });
    const known = [...asked];
    const unknown = Object.keys(given).filter((name) => !asked.has(name));
    const issues = unknown.map((name) => {
      const hint = nearestHint(name, known) || ` Known are ${known.join(", ")}.`;
      const message = `There is no field ${quoted(name)} here.${hint}`;
      return parseIssue("field_unknown", [...path, name], message);
    });
    context.issues.splice(before, 0, ...issues);
    return value;
  };

/** True if the value is undefined or null, which mean the same. */
const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** True if the list is absent or empty. */
export const isEmptyList: Read<boolean> = (_, value) =>
  isAbsent(value) || (Array.isArray(value) && value.length === 0);

/** Reads the name of a step, column or resource: 1 to 200 characters, no control characters. */
export const readName: Read<string> = (context, value, path) => {
  if (typeof value !== "string" || value === "") {
    const message = `A name is needed here, not ${quoted(value ?? null)}.`;
    report(context, "field_missing", path, message);
    return "";
  }
  if (value.length > 200 || /[\p{Cc}\p{Cs}]/u.test(value)) {
    const message = `${quoted(value)} is not a name: write up to 200 characters without control characters.`;
    report(context, "name_invalid", path, message);
  }
  return value;
};

/** Minimum number of items in a list, and the message if it has fewer. */
export interface MinItems {
  count: number;
  message: string;
}

/** Reads a list. Drops items that cannot be parsed. */
export const readList =
  <T>(read: Read<T | undefined>, min?: MinItems): Read<T[]> =>
  (context, value, path) => {
    if (!Array.isArray(value)) {
      const message = `A list is needed here, not ${quoted(value ?? null)}.`;
      report(context, "field_missing", path, message);
      return [];
    }
    const { count } = context;
    const items = value.flatMap((item: unknown, index) => {
      count.nodes += 1;
      return read(context, item, [...path, index]) ?? [];
    });
    if (count.nodes > planLimits.nodes) {
      const message = `The plan has more than ${planLimits.nodes} parts.`;
      report(context, "limit_exceeded", path, message);
    }
    if (min !== undefined && value.length < min.count)
      report(context, "field_missing", path, min.message);
    return items;
  };

/** Parses text and reports a syntax error as an issue. */
export function readText<T>(
  context: ReadContext,
  text: string,
  path: IssuePath,
  read: (reader: TokenReader) => T,
): T | undefined {
  try {
    const reader = new TokenReader(text, context.count);
    const value = read(reader);
    reader.expectEnd();
    return value;
  } catch (error) {
    if (!(error instanceof PlanSyntaxError)) throw error;
    return report(context, error.code, path, error.message);
  }
}
