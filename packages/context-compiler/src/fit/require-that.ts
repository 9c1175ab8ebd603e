import type { ToolDescription } from "@ccl/core";
import { isRecord } from "@ccl/core/json";
import { failureReason } from "./failure-reason.ts";
import { ContextCompilerError } from "../context-compiler-error.ts";

/** Throws `invalid_options` with the message. */
export function requireThat(isValid: boolean, message: string): asserts isValid {
  if (!isValid) throw new ContextCompilerError("invalid_options", message);
}

/** Throws `budget_missing`. */
export function requireBudget<Budget>(budget: Budget): asserts budget is NonNullable<Budget> {
  if (budget !== undefined && budget !== null) return;
  const message =
    "A budget in tokens is missing; choose one, since there is no default: what the model takes, or less.";
  throw new ContextCompilerError("budget_missing", message);
}

/** Throws `invalid_options` if the value is not an object or lacks one of the functions. */
export function requireObject(name: string, value: unknown, ...functions: string[]): void {
  // A class may have these functions too. For example, `Date` works as a clock.
  const isObject =
    typeof value === "object" || (typeof value === "function" && functions.length > 0);
  const isWhole =
    isObject && functions.every((key) => typeof Reflect.get(Object(value), key) === "function");
  const needed =
    functions.length === 0 ? "" : ` with ${functions.map((key) => `\`${key}\``).join(" and ")}`;
  requireThat(
    isWhole && value !== null,
    `${name} must be an object${needed}, not ${shown(value)}.`,
  );
}

/** Like `requireObject`, but accepts undefined. */
export function requireIfGiven(name: string, value: unknown, ...functions: string[]): void {
  if (value !== undefined && value !== null) requireObject(name, value, ...functions);
}

/**
 * Throws `invalid_options` if the value is not a list of tools with names and schemas. Descriptions
 * are optional, since some servers omit them.
 */
export function requireTools(tools: unknown): void {
  requireThat(
    Array.isArray(tools),
    `The tools are a list of tool definitions, not ${shown(tools)}.`,
  );
  const index = tools.findIndex((tool) => !isTool(tool));
  const needed = "a name and, if any, a description as text, and an inputSchema that is an object";
  requireThat(
    index < 0,
    `The tools are a list of tool definitions: tools[${index}] needs ${needed}.`,
  );
  for (const tool of tools) requireJsonSchema(tool);
}

/** Checks that the schema can be written as JSON, the form that counters and fingerprints read. */
function requireJsonSchema({ name, inputSchema }: ToolDescription): void {
  let problem = "it is written as nothing";
  try {
    if (typeof JSON.stringify(inputSchema) === "string") return;
  } catch (error) {
    problem = failureReason(error);
  }
  const message = `The inputSchema of the tool ${JSON.stringify(name)} has to be JSON: ${problem}.`;
  throw new ContextCompilerError("invalid_options", message);
}

function isTool(tool: unknown): tool is ToolDescription {
  if (!isRecord(tool)) return false;
  const { name, description = "", inputSchema } = tool;
  const isNamed = typeof name === "string" && typeof description === "string";
  return isNamed && typeof inputSchema === "object" && inputSchema !== null;
}

/** Throws `invalid_options` if one of the named options is set and is not a number of 0 or more. */
export function requireNumbers(owner: string, options: object, ...names: string[]): void {
  requireObject(`The options of ${owner}`, options);
  for (const name of names) {
    const value: unknown = Reflect.get(options, name) ?? 0;
    requireThat(isFrom(0, value), `${name} of ${owner} is a number from 0, not ${shown(value)}.`);
  }
}

/** True for a number of `min` or more. */
export function isFrom(min: number, value: unknown): value is number {
  return typeof value === "number" && value >= min;
}

/** Describes a value for an error message. Truncates long text. */
export function shown(value: unknown): string {
  if (typeof value === "string") return `the text ${JSON.stringify(value.slice(0, 40))}`;
  if (typeof value === "number" || value === null || value === undefined) return String(value);
  return `a value of type ${typeof value}`;
}
