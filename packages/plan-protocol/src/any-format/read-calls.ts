import { isRecord, type JsonRecord, parseJson } from "@ccl/core/json";

import { type FileChange, linesOf, type TextChange } from "../place/file-change.ts";
import { type PlanIssue, planIssue, quote } from "../plan-issue.ts";

import { beginsBlock } from "./read-blocks.ts";
import { readNewFile, readUpdate } from "./read-v4a.ts";

/** The edits in a JSON answer's tool calls. */
export interface ToolCalls {
  changes: FileChange[];
  /** Patches in another format inside a call. */
  texts: string[];
}

/**
 * Reads one or more editor tool calls, bare or in provider API wrappers: `str_replace` and its variants, MultiEdit,
 * Anthropic's text editor, `apply_patch` of the Responses API. Returns undefined if the value holds anything else.
 */
export function readCalls(value: unknown): ToolCalls | PlanIssue | undefined {
  const calls = callsOf(value);
  const found: ToolCalls = { changes: [], texts: [] };
  // An empty list may belong to something else.
  if (calls.length === 0) return undefined;
  for (const call of calls) {
    if (typeof call === "string") found.texts.push(call);
    else if (isRecord(call) && isCall(call)) {
      const blocks = textAt(call, ["diff"]);
      if (blocks?.split("\n").some(beginsBlock) === true) {
        found.texts.push(`${textAt(call, PATHS)}\n${blocks}`);
        continue;
      }
      const change = readCall(call);
      if (typeof change === "string") return planIssue("ERR_SCHEMA_VALIDATION", change);
      if (change !== undefined) found.changes.push(change);
    } else return undefined;
  }
  return found;
}

/** Names that different agents' tools use for the same field. */
const PATHS = ["path", "file_path", "filePath", "filepath", "filename", "target_file"];
const OLD = ["old_str", "old_string", "oldString"];
const NEW = ["new_str", "new_string", "newString"];
const CONTENT = ["file_text", "content", "contents", "code_edit"];

/** Types of answer parts that accompany the calls. */
const REMARKS: ReadonlySet<unknown> = new Set(["text", "thinking", "reasoning", "message"]);

function callsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(callsOf);
  if (!isRecord(value)) return [value];
  const { tool_calls: calls, output, content, role, type } = value;
  const parts = [calls, output, role === undefined ? undefined : content].find(Array.isArray);
  if (parts !== undefined) return callsOf(parts);
  return REMARKS.has(type) ? [] : [unwrap(value)];
}

function isCall(call: JsonRecord): boolean {
  const keys = [...OLD, "command", "diff"];
  const isWrite =
    PATHS.some((key) => key in call) &&
    (CONTENT.some((key) => key in call) || Array.isArray(call["edits"]));
  return isWrite || call["type"] === "delete_file" || keys.some((key) => key in call);
}

function unwrap(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { operation, input, patch, command } = value;
  const inner = value["function"] ?? value["functionCall"];
  const given = value["arguments"] ?? value["args"];
  if (isRecord(inner)) return unwrap(inner);
  if (isRecord(operation)) return operation;
  // In a shell call, the patch is the last word of the command.
  const shell = [command].flat().find((word) => String(word).includes("*** Begin Patch"));
  const carried = given ?? input ?? shell ?? ("kind" in value ? undefined : patch);
  if (carried === undefined) return value;
  return unwrap(typeof carried === "string" ? (parseJson(carried) ?? carried) : carried);
}

/** Fields that the reader uses, and remarks, which change no text. */
const KNOWN: ReadonlySet<string> = new Set([
  ...PATHS,
  ...OLD,
  ...NEW,
  ...CONTENT,
  ..."command edits diff insert_line insert_text view_range id call_id status type name".split(" "),
  ..."description explanation instruction instructions reason line_count".split(" "),
]);
const COMMANDS: ReadonlySet<unknown> = new Set([
  undefined,
  "create",
  "str_replace",
  "insert",
  "view",
]);

/** Returns the change in a call, or why it cannot be applied. Undefined for a read-only call. */
function readCall(call: JsonRecord): FileChange | string | undefined {
  const other = otherMember(call);
  if (other !== undefined)
    return `A call has ${quote(other)}, which is not read. Leave it out, and give more lines in old_str, so that they occur only once.`;
  const { command, edits, diff, type } = call;
  const path = textAt(call, PATHS);
  const content = textAt(call, CONTENT);
  const lacking = "A call is missing its path or its strings.";
  if (!COMMANDS.has(command))
    return `Unknown command ${quote(String(command))}. Use str_replace, insert or create.`;
  if (command === "view") return undefined;
  if (path === undefined) return lacking;
  if (type === "delete_file") return { type: "delete", path };
  if (typeof diff === "string")
    return type === "create_file"
      ? readNewFile(path, linesOf(diff))
      : readUpdate(path, linesOf(diff));
  if (command === "create")
    return content === undefined ? lacking : { type: "create", path, content };
  if (command === "insert") return readInsert(call, path, textAt(call, ["insert_text", "new_str"]));
  const texts = (Array.isArray(edits) ? edits : [call]).map(readReplacement);
  const known = texts.filter((one) => one !== undefined);
  const [only] = known;
  if (content !== undefined && edits === undefined && only === undefined)
    return { type: "whole", path, content };
  if (only === undefined || known.length < texts.length) return lacking;
  if (only.before === "" && known.length === 1)
    return { type: "create", path, content: only.after };
  return { type: "replace", path, texts: known };
}

function readInsert(call: JsonRecord, path: string, text: string | undefined): FileChange | string {
  const { insert_line: afterLine } = call;
  return text === undefined || typeof afterLine !== "number"
    ? "An insert needs insert_line, the number of the line above, and its text."
    : { type: "insert", path, afterLine, text };
}

function readReplacement(edit: unknown): TextChange | undefined {
  if (!isRecord(edit)) return undefined;
  const before = textAt(edit, OLD);
  const after = NEW.some((key) => edit[key] != null) ? textAt(edit, NEW) : "";
  if (before === undefined || after === undefined) return undefined;
  return { before, after, isEverywhere: (edit["replace_all"] ?? edit["replaceAll"]) === true };
}

/** Returns the first string among the named fields. */
function textAt(call: JsonRecord, keys: readonly string[]): string | undefined {
  return keys.map((key) => call[key]).find((one) => typeof one === "string");
}

/** Returns an unknown field that may affect where or how to replace, such as `occurrence`. */
function otherMember(call: JsonRecord): string | undefined {
  const edits = Array.isArray(call["edits"]) ? call["edits"].filter(isRecord) : [];
  return [call, ...edits].flatMap(Object.entries).find(([key, value = false]) => {
    const saysNothing =
      value === null ||
      value === false ||
      value === "" ||
      (key === "expected_replacements" && value === 1);
    return !saysNothing && !KNOWN.has(key) && !(/^replace_?all$/i.test(key) && value === true);
  })?.[0];
}
