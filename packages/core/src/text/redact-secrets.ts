import { readPair } from "./secret-pairs.ts";
import { caselessShapeReaders, shapeReaders } from "./secret-shapes.ts";
import { matchEnd, SecretSource, type SecretFinding, type SecretReader } from "./secret-source.ts";
import { tokenReaders } from "./secret-tokens.ts";

/** Text in which markers such as `[redacted:github_token]` replace secrets. */
interface RedactedText {
  text: string;
  /** In text order, without overlaps. Positions refer to the input. */
  findings: SecretFinding[];
}

interface Trigger {
  literal: string;
  /** True if the literal, in lower case, matches any case. */
  isCaseless: boolean;
  /** The third character. Checking it rules out nearly all other text. */
  third: number;
  read: SecretReader;
}

const marker = /\[redacted:[a-z0-9_]{1,40}\]/y;
const skipMarker: SecretReader = (source, at) => {
  source.floor = matchEnd(marker, source.text, at) ?? source.floor;
  return undefined;
};
const triggersOf = (rows: [SecretReader, ...string[]][], isCaseless: boolean): Trigger[] =>
  rows.flatMap(([read, ...literals]) =>
    literals.map((literal) => ({ literal, isCaseless, third: literal.charCodeAt(2), read })),
  );
const names = ["pass", "pwd", "secret", "token", "credential", "key", "auth"];
const triggers = [
  ...triggersOf([[skipMarker, "[redacted:"], ...tokenReaders, ...shapeReaders], false),
  ...triggersOf([...caselessShapeReaders, [readPair, ...names]], true),
];

// Maps each pair of ASCII characters to the number of its group of triggers, or to 0. Each
// character needs only one lookup.
const groups: Trigger[][] = [[]];
const groupOfPair = new Uint8Array(128 * 128);
for (const trigger of triggers) {
  const [first = "", second = ""] = trigger.literal;
  const firsts = trigger.isCaseless ? [first, first.toUpperCase()] : [first];
  const seconds = trigger.isCaseless ? [second, second.toUpperCase()] : [second];
  for (const pair of firsts.flatMap((left) =>
    seconds.map((right) => left.charCodeAt(0) * 128 + right.charCodeAt(0)),
  )) {
    if (groupOfPair[pair] === 0) groupOfPair[pair] = groups.push([]) - 1;
    groups[groupOfPair[pair] ?? 0]?.push(trigger);
  }
}

/**
 * Masks provider keys, JWTs, bearer and basic credentials, PEM private keys, passwords in URLs, and
 * values whose name suggests a secret (JSON, env, YAML, query, assignment). References and
 * placeholders such as `process.env.TOKEN` or `<your key>` stay. Takes linear time. Masking already
 * masked text changes nothing. Findings for which `isMasked` returns false are left out.
 */
export function redactSecrets(
  text: string,
  isMasked: (finding: SecretFinding) => boolean = () => true,
): RedactedText {
  const source = new SecretSource(text);
  const findings: SecretFinding[] = [];
  let previous = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 127) {
      previous = 0;
      continue;
    }
    const group = groupOfPair[(previous << 7) | code];
    previous = code;
    if (!group) continue;
    const finding = findingAt(source, index - 1, group);
    if (finding !== undefined) {
      findings.push(finding);
      source.floor = finding.end;
    }
    if (source.floor > index) {
      index = source.floor - 1;
      previous = 0;
    }
  }
  const chosen = findings.filter(isMasked);
  return { text: masked(text, chosen), findings: chosen };
}

const marks: Record<string, string> = {};

/**
 * Joins a few thousand parts at a time, because short-lived strings cost a tenth as much as
 * long-lived ones.
 */
function masked(text: string, findings: readonly SecretFinding[]): string {
  let result = "";
  let parts: string[] = [];
  let copied = 0;
  for (const { kind, start, end } of findings) {
    parts.push(text.slice(copied, start), (marks[kind] ??= `[redacted:${kind}]`));
    copied = end;
    if (parts.length < 4_096) continue;
    result += parts.join("");
    parts = [];
  }
  return result + parts.join("") + text.slice(copied);
}

function findingAt(source: SecretSource, at: number, group: number): SecretFinding | undefined {
  const third = source.text.charCodeAt(at + 2);
  for (const trigger of groups[group] ?? []) {
    const { literal, isCaseless, read } = trigger;
    if (trigger.third !== (isCaseless ? third | 0x20 : third) && literal.length > 2) continue;
    if (!startsWith(source.text, at, trigger)) continue;
    const finding = read(source, at);
    if (finding !== undefined) return read === readPair ? withTokenKind(source, finding) : finding;
    if (source.floor > at) return undefined;
  }
  return undefined;
}

/** Reports a pair's value by its token kind, if it has one. */
function withTokenKind(source: SecretSource, finding: SecretFinding): SecretFinding {
  const pair =
    source.text.charCodeAt(finding.start) * 128 + source.text.charCodeAt(finding.start + 1);
  const third = source.text.charCodeAt(finding.start + 2);
  for (const { literal, isCaseless, third: expected, read } of groups[groupOfPair[pair] ?? 0] ??
    []) {
    if (isCaseless || (expected !== third && literal.length > 2)) continue;
    if (!source.text.startsWith(literal, finding.start)) continue;
    const token = read(source, finding.start);
    if (token?.start === finding.start && token.end >= finding.end) return token;
  }
  return finding;
}

function startsWith(text: string, at: number, { literal, isCaseless }: Trigger): boolean {
  if (!isCaseless) return text.startsWith(literal, at);
  for (let index = 3; index < literal.length; index += 1) {
    if ((text.charCodeAt(at + index) | 0x20) !== literal.charCodeAt(index)) return false;
  }
  return true;
}
