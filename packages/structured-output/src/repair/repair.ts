/**
 * What was changed to read a text as JSON, or (`schema_...`) to bring the value into the shape of its schema: another
 * spelling of a constant, a member that the schema does not know left out, another spelling of a key, one for a list or a
 * list of one, JSON in a string, null for a member that may be absent or the other way round, a number in a string. `wrapper`
 * is an object whose only member was taken, `draft` another value before the one that the answer calls final.
 */
export type RepairKind =
  | "comment"
  | "concatenation"
  | "control_character"
  | "draft"
  | "ellipsis"
  | "escaped_text"
  | "extra_comma"
  | "function_call"
  | "invalid_escape"
  | "literal"
  | "missing_braces"
  | "missing_closer"
  | "missing_colon"
  | "missing_comma"
  | "missing_quote"
  | "missing_value"
  | "number"
  | "punctuation"
  | "quote_style"
  | "repeated_key"
  | "schema_constant"
  | "schema_extra"
  | "schema_key"
  | "schema_list"
  | "schema_nested_json"
  | "schema_null"
  | "schema_type"
  | "sequence"
  | "set"
  | "stray_text"
  | "tuple"
  | "unescaped_quote"
  | "unquoted_key"
  | "unquoted_string"
  | "whitespace"
  | "wrapper"
  | "wrong_closer";

/** One change that was needed to read the text. */
export interface Repair {
  kind: RepairKind;
  /** UTF-16 offset in the text that was read; in the decoded text when that was JSON inside a JSON string. */
  position: number;
  /** Of a change for the schema: the place in the value; `position` is where the value begins. */
  path?: (string | number)[] | undefined;
}
