import { QueryError } from "../query-error.ts";

/** SQL whose parameters stand as literals, for people to read and copy. What is quoted is left alone. */
export function inlineParameters(text: string, parameters: readonly unknown[]): string {
  let next = 0;
  // Quoted names and texts come first in the pattern, so that no mark within them is a parameter.
  return text.replace(
    /"(?:[^"]|"")*"|'(?:[^']|'')*'|\$(\d+)|\?/g,
    (part, index: string | undefined) => {
      if (part !== "?" && index === undefined) return part;
      return literal(parameters[index === undefined ? next++ : Number(index) - 1]);
    },
  );
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (typeof value === "string" && !value.includes("\u0000"))
    return `'${value.replaceAll("'", "''")}'`;
  throw new QueryError("invalid_options", "A parameter of this plan is no literal of SQL.");
}
