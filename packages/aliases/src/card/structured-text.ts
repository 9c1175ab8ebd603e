import { parseJson } from "@ccl/core/json";

import { loadYaml } from "../load-library.ts";

/** Longer YAML and longer JSON with comments are not parsed, since megabytes of it take seconds. */
const maxLooseLength = 1_000_000;

/** A file for the card readers. It is parsed lazily, once. */
export interface StructuredText {
  readonly path: string;
  readonly text: string;
  /** The parsed value. */
  value(): unknown;
}

/** Wraps a text so that it is parsed on first use. */
export function createStructuredText(path: string, text: string): StructuredText {
  let parsed: { value: unknown } | undefined;
  return {
    path,
    text,
    value: () => {
      parsed ??= { value: parseStructured(path, text) };
      return parsed.value;
    },
  };
}

/** A parsed JSON or YAML mapping. */
export type Mapping = Record<string, unknown>;

/** True for an object that is not an array. */
export function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The value of a JSON (with comments) or YAML document. The path's extension decides. Undefined for other and for
 * invalid files.
 */
function parseStructured(path: string, text: string): unknown {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  if (extension === "yaml" || extension === "yml") return parseYaml(text);
  const looksLikeJson = /^\s*[[{]/.test(text);
  if (!looksLikeJson) return undefined;
  const value = parseJson(text);
  return value === undefined && text.length <= maxLooseLength
    ? parseJson(withoutJsonComments(text))
    : value;
}

function parseYaml(text: string): unknown {
  if (text.length > maxLooseLength) return undefined;
  try {
    return loadYaml().parse(text, { logLevel: "silent", maxAliasCount: 100 });
  } catch {
    return undefined;
  }
}

/** Drops comments and trailing commas, which configuration files of editors contain. */
function withoutJsonComments(text: string): string {
  return text
    .replace(
      /("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/g,
      (_, quoted?: string) => quoted ?? " ",
    )
    .replace(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[\]}])/g, (_, quoted?: string) => quoted ?? "");
}
