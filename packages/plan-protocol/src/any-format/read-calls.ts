import { isRecord } from "@ccl/core/json";
import { type Result, success } from "@ccl/core";

import { quote } from "../plan-issue.ts";
import { type FileChange, refuseFormat } from "./file-change.ts";

/** The texts and calls that a JSON answer of tool calls holds, or undefined where it holds something else. */
export interface ToolCalls {
  changes: FileChange[];
  /** Patches in another format that a call carries. */
  texts: string[];
}

/** Reads calls in the manner of `str_replace`, bare or in the wrappers of tool calls, one or a list of them. */
export function readCalls(value: unknown): Result<ToolCalls> | undefined {
  const calls = Array.isArray(value) ? value.map(unwrap) : [unwrap(value)];
  const found: ToolCalls = { changes: [], texts: [] };
  for (const call of calls) {
    if (typeof call === "string") found.texts.push(call);
    else if (isRecord(call) && isCall(call)) {
      const change = readCall(call);
      if (typeof change === "string") return refuseFormat("ERR_SCHEMA_VALIDATION", change);
      found.changes.push(change);
    } else return undefined;
  }
  // An empty list is as likely a member of something else.
  if (calls.length === 0) return undefined;
  return success({ changes: mergeReplacements(found.changes), texts: found.texts });
}

function isCall(call: Readonly<Record<string, unknown>>): boolean {
  return "old_str" in call || "old_string" in call || "command" in call;
}

function unwrap(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { function: inner, input, arguments: given, patch } = value;
  if (isRecord(inner)) return unwrap(inner);
  const carried = given ?? input ?? ("kind" in value ? undefined : patch);
  if (carried === undefined) return value;
  return unwrap(typeof carried === "string" ? (parseArguments(carried) ?? carried) : carried);
}

function parseArguments(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Members that are read, and remarks, which change no text. */
const KNOWN: ReadonlySet<string> = new Set(
  (
    "command path file_path filename old_str old_string new_str new_string file_text content " +
    "id call_id type name description explanation instruction instructions reason"
  ).split(" "),
);

/** What a call says, or why it can't be followed. */
function readCall(call: Readonly<Record<string, unknown>>): FileChange | string {
  const other = otherMember(call);
  if (other !== undefined)
    return `A call has ${quote(other)}, which is not read. Leave it out, and give more lines in old_str, so that they stand only once.`;
  const text = (...keys: string[]): string | undefined => {
    const value = keys.map((key) => call[key]).find((one) => typeof one === "string");
    return typeof value === "string" ? value : undefined;
  };
  const path = text("path", "file_path", "filename");
  const before = text("old_str", "old_string");
  const after = text("new_str", "new_string");
  const content = text("file_text", "content");
  const command = text("command");
  if (command !== undefined && command !== "create" && command !== "str_replace")
    return `There is no command ${quote(command)}. Use str_replace or create.`;
  const lacking = "A call lacks its path or its texts.";
  if (path === undefined) return lacking;
  if (command === "create" || (before === undefined && content !== undefined))
    return content === undefined ? lacking : { type: "create", path, content };
  if (before === undefined) return lacking;
  const isEverywhere = call["replace_all"] === true;
  return { type: "replace", path, texts: [{ before, after: after ?? "", isEverywhere }] };
}

/** A member that may say where or how to replace, such as `occurrence`. */
function otherMember(call: Readonly<Record<string, unknown>>): string | undefined {
  return Object.keys(call).find((key) => {
    const value = call[key] ?? false;
    const saysNothing = value === false || value === "";
    return !saysNothing && !KNOWN.has(key) && !(key === "replace_all" && value === true);
  });
}

/** Calls for one file are placed together, each in the file as it was read. */
function mergeReplacements(changes: readonly FileChange[]): FileChange[] {
  const merged: FileChange[] = [];
  for (const change of changes) {
    const same = merged.find(({ type, path }) => type === "replace" && path === change.path);
    if (change.type === "replace" && same?.type === "replace") same.texts.push(...change.texts);
    else merged.push(change);
  }
  return merged;
}
