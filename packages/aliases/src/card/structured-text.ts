import { redactSecrets } from "@ccl/core";
import { parseJson } from "@ccl/core/json";

import { parseLooseJson } from "../outline/languages/json.ts";
import type { SourceInput } from "../outline/outline.ts";
import { kindOfAlias } from "./candidate-kinds.ts";

/** Maximum length of YAML or JSON with comments. Parsing megabytes of either takes seconds. */
const maxLooseLength = 1_000_000;

/** A file prepared for the card readers. */
export interface StructuredText {
  readonly path: string;
  readonly text: string;
  /** The text with secrets masked. Masking can break JSON, so structured files are not parsed from it. */
  readonly masked: string;
  /** True if the alias says that the file is a schema. */
  readonly isSchema: boolean;
  readonly signal: AbortSignal | undefined;
  /** Returns the parsed value. The first call parses the text. */
  value(): unknown;
}

/** Wraps a file's text. Asynchronous only to load the YAML parser. */
export async function createStructuredText(
  { path, text, alias = "" }: SourceInput,
  signal: AbortSignal | undefined,
): Promise<StructuredText> {
  const parse = /\.ya?ml$/i.test(path) ? await yamlParser() : parseIfJson;
  const isSchema = kindOfAlias(alias) === "schema";
  const masked = redactSecrets(text).text;
  let parsed: { value: unknown } | undefined;
  const value = (): unknown => (parsed ??= { value: parse(text) }).value;
  return { path, text, masked, isSchema, signal, value };
}

/** Parses a JSON document, which may have comments. Returns undefined if the text is not JSON. */
function parseIfJson(text: string): unknown {
  if (!/^\s*[[{/]/.test(text)) return undefined;
  return text.length > maxLooseLength ? parseJson(text) : parseLooseJson(text);
}

/** Loads the library lazily, because loading it takes longer than building a small pack. */
async function yamlParser(): Promise<(text: string) => unknown> {
  const { parse } = await import("../outline/yaml-library.ts");
  return (text) => {
    if (text.length > maxLooseLength) return undefined;
    try {
      return parse(text, { logLevel: "silent", maxAliasCount: 100 });
    } catch {
      return undefined;
    }
  };
}
