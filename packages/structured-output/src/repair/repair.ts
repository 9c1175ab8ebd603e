/** What was changed to read a text as JSON. */
export type RepairKind =
  | "comment"
  | "concatenation"
  | "control_character"
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
  | "sequence"
  | "set"
  | "stray_text"
  | "tuple"
  | "unescaped_quote"
  | "unquoted_key"
  | "unquoted_string"
  | "whitespace"
  | "wrong_closer";

/** One change that was needed to read the text. */
export interface Repair {
  kind: RepairKind;
  /** UTF-16 offset in the text that was read; in the decoded text when that was JSON inside a JSON string. */
  position: number;
}
