import { failure, success, type Part, type Result } from "@ccl/core";
import { isRecord, parseJson, stringAt } from "@ccl/core/json";
import type { JsonSchemaChecker } from "@ccl/structured-output/json-schema";
import { isTextPart } from "../fit/clean-message.ts";
import { redactEscaped, type Redact } from "../session/redact-data.ts";
import type { ToolOutput } from "./tool-bridge.ts";
import { ContextCompilerError } from "../context-compiler-error.ts";

/** How to check and mask a result. */
interface AlignOptions {
  /** Checks results against the tool's schema, if it has one. Failures are not checked. */
  check: JsonSchemaChecker<unknown> | undefined;
  /** Masks secrets in text. */
  redact: Redact | undefined;
}

/**
 * Removes terminal escapes and control characters from a result's text, and masks its secrets. Leaves images and files
 * unchanged. Returns issues if the result violates the tool's schema.
 */
export function alignOutput(
  output: ToolOutput,
  { check, redact = (text) => text }: AlignOptions,
): Result<string | Part[]> {
  const { content } = output;
  const checked = output.isError === true ? undefined : check && checkOutput(check, output);
  if (checked?.ok === false) return checked;
  const clean = (text: string): string => redactEscaped(text.replace(escapes, ""), redact);
  if (typeof content === "string") return success(clean(content));
  return success(
    content.map((part) => (part.type === "text" ? { ...part, text: clean(part.text) } : part)),
  );
}

const maxIssues = 20;

function checkOutput(
  check: JsonSchemaChecker<unknown>,
  { content, structured }: ToolOutput,
): Result<unknown> {
  const text =
    typeof content === "string"
      ? content
      : content.map((part) => (part.type === "text" ? part.text : "")).join("");
  const value: unknown = structured ?? parseJson(text);
  if (value === undefined) {
    const message = "The answer is not JSON, which the tool's schema asks for.";
    return failure({ code: "not_json", path: [], message });
  }
  const result = check(value);
  const [first, ...rest] = result.ok ? [] : result.issues.slice(0, maxIssues);
  return first === undefined ? success(value) : failure(first, ...rest);
}

// Terminal control sequences and operating system commands (ECMA-48), and control characters other than tab and line
// ends.
const escapes =
  // oxlint-disable-next-line no-control-regex
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\^_])|[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g;

/**
 * Checks that a bridge returned a result. The event check validates its bytes.
 * @throws ContextCompilerError `invalid_options` with a message for the author of the bridge
 */
export function requireToolOutput(answer: unknown): ToolOutput {
  if (isToolOutput(answer)) return answer;
  const message =
    "The tool's bridge returned no usable answer; it must return { content }, a text or a list of parts " +
    '{ type: "text", text } and { type: "image" | "file", mimeType, data }.';
  throw new ContextCompilerError("invalid_options", message);
}

function isToolOutput(answer: unknown): answer is ToolOutput {
  if (!isRecord(answer)) return false;
  const { content, mimeType = "" } = answer;
  return (
    typeof mimeType === "string" &&
    (typeof content === "string" || (Array.isArray(content) && content.every(isPart)))
  );
}

function isPart(part: unknown): boolean {
  return isTextPart(part) || ["image", "file"].includes(stringAt(part, "type") ?? "");
}
