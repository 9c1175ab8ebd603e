/** Content with a larger share of non-text characters counts as binary. */
const MAX_CONTROL_SHARE = 0.1;

/** Characters unusual in plain text. For typical content, a single scan for them is enough. */
const UNUSUAL = /[^\t\n\f\r -~\u00a0-\ud7ff\ue000-\ufffc]/;

/**
 * Control characters except tab, line feed, form feed and carriage return, plus the replacement character for invalid
 * bytes.
 */
const CONTROL = /[^\t\n\f\r -~\u00a0-\ufffc]/g;

/**
 * Returns why content cannot be a text file: it has a NUL, half a surrogate pair, or over a tenth control and invalid
 * characters.
 */
export function textProblem(content: string): string | undefined {
  if (!UNUSUAL.test(content)) return undefined;
  if (content.includes("\0")) return "has a NUL character";
  if (/\p{Surrogate}/u.test(content))
    return "has half of a surrogate pair, which UTF-8 cannot hold";
  const count = content.match(CONTROL)?.length ?? 0;
  return count > content.length * MAX_CONTROL_SHARE
    ? `has ${count} control or invalid characters`
    : undefined;
}
