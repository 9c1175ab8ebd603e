/**
 * What was changed to read text as JSON or, for `schema_...`, to fit the value to its schema: another spelling of a
 * constant or key, an unknown field left out, a single item instead of a list or vice versa, JSON in a string, null for
 * an absent field or vice versa, a number in a string. `wrapper`: an object's only field was taken. `draft`: an earlier
 * value was ignored, since the answer calls a later one final.
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

/** One change to the text or value. */
export interface Repair {
  kind: RepairKind;
  /** UTF-16 offset in the text. For JSON inside a JSON string, the offset in the decoded text. */
  position: number;
  /** For a schema change, the path in the value. `position` is then the start of the value. */
  path?: (string | number)[] | undefined;
}
