import { type JsonRecord, parseJson } from "@ccl/core/json";

const OPENING =
  /^\s*<(?:\w+:)?(invoke|write_to_file|replace_in_file|apply_diff)(?: name="[^"]*")?>\s*$/;
const MEMBER =
  /\s*<(?:\w+:)?(?:parameter name="(\w+)"|(\w+))>([^]*?)<\/(?:\w+:)?(?:parameter|\2)>(?=\s*(?:<|$))/gy;
/** Members that are not strings. */
const TYPED: ReadonlySet<string> = new Set(["insert_line", "view_range", "replace_all", "edits"]);

/**
 * Reads a tool call in tags that begins at a line: Claude's `<invoke name="Edit">`, Cline's `<write_to_file>`. Undefined
 * if a tag is not closed or text is outside of its members.
 */
export function callInTags(
  lines: readonly string[],
  at: number,
): { value: JsonRecord; end: number } | undefined {
  const [, name] = OPENING.exec(lines[at] ?? "") ?? [];
  if (name === undefined) return undefined;
  const closing = new RegExp(`^\\s*</(?:\\w+:)?${name}>\\s*$`);
  const last = lines.findIndex((line, index) => index > at && closing.test(line));
  const body = lines.slice(at + 1, last).join("\n");
  const members = [...body.matchAll(MEMBER)];
  if (last < 0 || members.map(([text]) => text).join("") !== body.trimEnd()) return undefined;
  const value = members.map(([, parameter, tag, text = ""]): [string, unknown] => {
    if (parameter === undefined) return [tag ?? "", text.replace(/^\n/, "")];
    return [parameter, TYPED.has(parameter) ? parseJson(text) : text];
  });
  return { value: Object.fromEntries(value), end: last + 1 };
}
