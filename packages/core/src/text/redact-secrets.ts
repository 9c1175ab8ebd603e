import { readPair } from "./secret-pairs.ts";
import {
  readBasic,
  readBearer,
  readDiscordToken,
  readEntraSecret,
  readGenericKey,
  readJwt,
  readMailchimpKey,
  readPrivateKey,
  readTelegramToken,
  readTerraformToken,
  readUrlPassword,
  tokenReader,
} from "./secret-shapes.ts";
import { SecretSource, type SecretFinding, type SecretReader } from "./secret-source.ts";
import { tokenRules } from "./secret-tokens.ts";

/** A text whose secrets were replaced by markers such as `[redacted:github_token]`. */
export interface RedactedText {
  text: string;
  /** In the order of the text, not overlapping; positions are those of the input. */
  findings: SecretFinding[];
}

interface Trigger {
  literal: string;
  /** The literal is in lower case and stands for any case. */
  isCaseless: boolean;
  /** The code of the third character, or -1: tells most strangers apart. */
  third: number;
  read: SecretReader;
}

const marker = /\[redacted:[a-z0-9_]{1,40}\]/y;
const skipMarker: SecretReader = (source, at) => {
  marker.lastIndex = at;
  if (marker.test(source.text)) source.floor = marker.lastIndex;
  return undefined;
};

const exact: [SecretReader, ...string[]][] = [
  [skipMarker, "[redacted:"],
  ...tokenRules.map(([prefix, rule]): [SecretReader, string] => [tokenReader(prefix, rule), prefix]),
  [readGenericKey, "sk-"],
  [readJwt, "eyJ"],
  [readPrivateKey, "BEGIN "],
  [readUrlPassword, "://"],
  [readTelegramToken, ":A"],
  [readEntraSecret, "Q~"],
  [readMailchimpKey, "-us"],
  [readTerraformToken, ".atlasv1."],
  [readDiscordToken, "MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT", "MD", "MA", "NA", "OA"],
];
const caseless: [SecretReader, ...string[]][] = [
  [readBearer, "bearer"],
  [readBasic, "basic"],
  [readPair, "pass", "pwd", "secret", "token", "credential", "key", "auth"],
];
const triggersOf = (rows: typeof exact, isCaseless: boolean): Trigger[] =>
  rows.flatMap(([read, ...literals]) =>
    literals.map((literal) => ({ literal, isCaseless, third: literal.length > 2 ? literal.charCodeAt(2) : -1, read })),
  );

// For each pair of ASCII characters the number of its group of triggers, 0 for none: one look-up decides on a character.
const groups: Trigger[][] = [[]];
const groupOfPair = new Uint8Array(128 * 128);
for (const trigger of [...triggersOf(exact, false), ...triggersOf(caseless, true)]) {
  const start = trigger.literal.slice(0, 2);
  const [first = "", second = ""] = start.toUpperCase();
  const spellings = trigger.isCaseless
    ? [start, first + second, first + start.charAt(1), start.charAt(0) + second]
    : [start];
  for (const spelling of spellings) {
    const pair = spelling.charCodeAt(0) * 128 + spelling.charCodeAt(1);
    if (groupOfPair[pair] === 0) groupOfPair[pair] = groups.push([]) - 1;
    groups[groupOfPair[pair] ?? 0]?.push(trigger);
  }
}

/**
 * Masks provider keys, JWTs, bearer and basic credentials, PEM private keys, passwords in URLs, and the values of pairs
 * (JSON, env, YAML, query, assignment) whose name announces a secret. References and placeholders such as
 * `process.env.TOKEN` or `<your key>` stay. Linear in the text; masking a masked text changes nothing.
 */
export function redactSecrets(text: string): RedactedText {
  const source = new SecretSource(text);
  const findings: SecretFinding[] = [];
  let previous = 128 * 128;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const group = code < 128 ? groupOfPair[previous * 128 + code] : 0;
    previous = code < 128 ? code : 128 * 128;
    if (group === undefined || group === 0) continue;
    const finding = findingAt(source, index - 1, group);
    if (finding !== undefined) {
      findings.push(finding);
      source.floor = finding.end;
    }
    if (source.floor > index) {
      index = source.floor - 1;
      previous = 128 * 128;
    }
  }
  return { text: masked(text, findings), findings };
}

function findingAt(source: SecretSource, at: number, group: number): SecretFinding | undefined {
  const third = source.text.charCodeAt(at + 2);
  for (const trigger of groups[group] ?? []) {
    if (trigger.third !== (trigger.isCaseless ? third | 0x20 : third) && trigger.third >= 0) continue;
    if (!startsWith(source.text, at, trigger)) continue;
    const finding = trigger.read(source, at);
    if (finding !== undefined) return trigger.read === readPair ? specific(source, finding) : finding;
    if (source.floor > at) return undefined;
  }
  return undefined;
}

/** A pair's value that is itself a token of a known kind is reported as that. */
function specific(source: SecretSource, finding: SecretFinding): SecretFinding {
  const { text } = source;
  const pair = text.charCodeAt(finding.start) * 128 + text.charCodeAt(finding.start + 1);
  for (const { literal, isCaseless, read } of groups[groupOfPair[pair] ?? 0] ?? []) {
    if (isCaseless || !text.startsWith(literal, finding.start)) continue;
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

function masked(text: string, findings: SecretFinding[]): string {
  let end = 0;
  const pieces: string[] = [];
  for (const finding of findings) {
    pieces.push(text.slice(end, finding.start), "[redacted:", finding.kind, "]");
    end = finding.end;
  }
  return pieces.join("") + text.slice(end);
}
