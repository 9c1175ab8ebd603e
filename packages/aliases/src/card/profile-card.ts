import { isRecord } from "@ccl/core/json";

import { redactSecrets } from "@ccl/core";

import { cleanItem, leadingLines } from "./card-lines.ts";
import { flattenValue, type FlatPair } from "./flatten-value.ts";
import { packLines } from "./pack-items.ts";
import { type StructuredText } from "./structured-text.ts";

const maxPairs = 2_000;

/** Reads the settings of a JSON, YAML, TOML, INI, properties or environment file. Returns undefined if it has none. */
export function readProfile({ path, text, value: parse }: StructuredText): FlatPair[] | undefined {
  const value = parse();
  const isLineFormat =
    /\.(?:toml|ini|cfg|conf|properties)$|(?:^|\/)\.env(?:\.[^/]*)?$|\.env$|(?:^|\/)\.[a-z]+rc$/i.test(
      path,
    );
  if (value === undefined && !isLineFormat) return undefined;
  const holdsSettings = isRecord(value) || (Array.isArray(value) && value.some(isRecord));
  if (value !== undefined && !holdsSettings) return undefined;
  const pairs = value === undefined ? readLines(text) : flattenValue(value, maxPairs);
  return pairs.length === 0 ? undefined : pairs;
}

/** Renders `key=value`. Masks the value if the key or the value looks like a secret. */
export function renderPair(pair: FlatPair): string {
  return cleanItem(`${pair.key}=${maskedValue(pair)}`);
}

/** Hides the whole value, including brackets and spaces, if the key names a secret. */
function maskedValue({ key, value }: FlatPair): string {
  const name = key.replace(/(?:\[\d+\])+$/, "");
  const content = value.replace(/^\[(.*)\]$/s, "$1").replaceAll('"', "");
  const [finding] = redactSecrets(`${name}="${content}"`).findings;
  return finding?.kind === "secret_value" ? "[redacted:secret_value]" : redactSecrets(value).text;
}

/** Lists the settings of a profile, in file order. */
export function profileCard(pairs: readonly FlatPair[]): string[] {
  return packLines(pairs.map(renderPair));
}

/** Reads sections and assignments, one per line. Keeps only the first line of a multi-line value. */
function readLines(text: string): FlatPair[] {
  const pairs: FlatPair[] = [];
  let section = "";
  for (const rawLine of leadingLines(text)) {
    const line = rawLine.trim();
    const header = /^\[+([^[\]]+)\]+$/.exec(line)?.[1];
    if (header !== undefined) section = `${header.trim()}.`;
    const pair = /^(?:export\s+)?([\w."' -]+?)\s*[=:]\s*(.*)$/.exec(line);
    if (pair?.[1] === undefined || pair[2] === undefined || pairs.length >= maxPairs) continue;
    const value = /^(["'])(.*?)\1/.exec(pair[2])?.[2] ?? pair[2].replace(/\s+[#;].*$/, "");
    pairs.push({ key: section + pair[1].replace(/["']/g, ""), value });
  }
  return pairs;
}
