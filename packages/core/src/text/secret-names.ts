/**
 * How strongly a name suggests a secret. `certain`: a password. `likely`: a secret or an API key.
 * `possible`: a token, credentials or `auth`, which may also be a lexer's token or a setting.
 */
export type SecretNameLevel = "certain" | "likely" | "possible";

const keyOwners =
  "api|access|secret|private|account|encryption|signing|master|auth|shared|ssh|deploy|service|client|subscription|storage|app|license|admin|write|read|project|function|host|session|jwt|hmac|webhook";
const stems = new RegExp(
  `(passw(?:or)?d|passphrase|passcode|pwd|pass)|((?:${keyOwners})key|secret|authorization)|(token|credentials?|auth)`,
  "g",
);
/** Suffixes that a secret's name may have. */
const tails =
  /^(?:\d{1,3}|base|base64|value|val|str|string|text|raw|plain|plaintext|data|hash|prod|production|dev|development|test|staging|stage|live|sandbox|local|ci|new|old|current|confirm|confirmation|again|repeat|default|root|admin|user|db|v\d|primary|secondary|for[a-z]+)?$/;
/** Prefixes that give such a word another meaning. */
const harmless =
  /(?:next|page|pagination|continuation|cancel|cancellation|sync|cursor|csrf|xsrf|stop|eos|bos|pad|unk|special|max|min|no|has|is|needs?|reset|forgot|change|show|hide|toggle|use|require|validate|verify|check|enter|with|without|public)$/;

/**
 * Returns the level of a name in any naming style (`apiKey`, `API_KEY`, `x-api-key`). Undefined if
 * it does not suggest a secret.
 */
export function secretNameLevel(name: string): SecretNameLevel | undefined {
  const compact = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  let last: RegExpExecArray | null = null;
  for (let match = stems.exec(compact); match !== null; match = stems.exec(compact)) last = match;
  if (last === null) return undefined;
  const [stem, password, secret] = last;
  if (
    !tails.test(compact.slice(last.index + stem.length)) ||
    harmless.test(compact.slice(0, last.index))
  )
    return undefined;
  if (stem === "pass")
    return /[_.-]pass$/i.test(name) ? "certain" : compact === "pass" ? "possible" : undefined;
  // PWD is the shell's working folder.
  if (/^(?:OLD)?PWD$/.test(name) || (stem === "auth" && compact !== "auth")) return undefined;
  return password !== undefined ? "certain" : secret !== undefined ? "likely" : "possible";
}

// References that shells, templates and programs write in place of a secret, and placeholder words.
const references =
  /^(?:\$[({].*|\$[A-Z_][A-Z0-9_]*|\$[a-z_]+|\{\{.*|%\w+%|%[({].*|#\{.*|@\w+@|<[^<>]*>|\[[^\]]*\]|[*.•_-]+|\[redacted\b.*|(?:(?:globalThis\.)?process\.env|import\.meta|os\.(?:environ|getenv)|env|secrets)\b[.([].*|[A-Z]+(?:_[A-Z]+)+)$/s;
const standIns =
  /^(?:your[-_ ].*|my[-_ ].*[-_ ]here|x{3,}|change[-_]?me|placeholder|example|redacted|hidden|masked|todo|unset|none|null|nil|undefined|true|false|yes|no|on|off|n\/a|required|optional|disabled|enabled|empty|default|unknown|invalid|auto)?$/i;

/** True for a reference to a secret, or for a placeholder. */
export function isPlaceholder(value: string): boolean {
  return value.length > 200
    ? value.startsWith("[redacted:")
    : references.test(value) || standIns.test(value);
}
