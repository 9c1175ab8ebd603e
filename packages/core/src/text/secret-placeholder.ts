// What shells, templates and programs write where a secret will be.
const reference =
  /^(?:\$[({].*|\$[A-Z_][A-Z0-9_]*|\$[a-z_]+|\{\{.*|%\w+%|%[({].*|#\{.*|@\w+@|<[^<>]*>|\[[^\]]*\]|[*.•_-]+|\[redacted\b.*)$/s;
const lookUp = /^(?:(?:globalThis\.)?process\.env|import\.meta|os\.(?:environ|getenv)|env|secrets)\b[.([]/i;
const constantName = /^[A-Z]+(?:_[A-Z]+)+$/;
const invitation = /^(?:your[-_ ].*|my[-_ ].*[-_ ]here|x{3,})$/i;
const words = new Set(
  "changeme change-me change_me placeholder example redacted hidden masked todo unset none null nil undefined true false yes no on off n/a required optional disabled enabled empty default unknown invalid auto".split(
    " ",
  ),
);

/** True for a reference to a secret, or for a word that stands where one would. */
export function isPlaceholder(value: string): boolean {
  if (value.length > 200) return value.startsWith("[redacted:");
  if (value === "") return true;
  return /^[A-Za-z0-9]/.test(value)
    ? (value.length <= 11 && words.has(value.toLowerCase())) ||
        constantName.test(value) ||
        lookUp.test(value) ||
        invitation.test(value)
    : reference.test(value);
}
