import { parseJson } from "@ccl/core/json";

/** Maximum length of YAML, or JSON with comments. Parsing megabytes of either takes seconds. */
const maxLooseLength = 1_000_000;

/** A file for the card readers. It is parsed lazily, once. */
export interface StructuredText {
  readonly path: string;
  readonly text: string;
  /** The parsed value. */
  value(): unknown;
}

/**
 * Wraps a file's text so that it is parsed on first use. Asynchronous only because it loads the
 * YAML parser.
 */
export async function createStructuredText(path: string, text: string): Promise<StructuredText> {
  const parse = /\.ya?ml$/i.test(path) ? await yamlParser() : parseLooseJson;
  let parsed: { value: unknown } | undefined;
  return {
    path,
    text,
    value: () => {
      parsed ??= { value: parse(text) };
      return parsed.value;
    },
  };
}

/** The value of a JSON document, which may have comments. Undefined if the text is not JSON. */
function parseLooseJson(text: string): unknown {
  const looksLikeJson = /^\s*[[{]/.test(text);
  if (!looksLikeJson) return undefined;
  const value = parseJson(text);
  return value === undefined && text.length <= maxLooseLength
    ? parseJson(withoutJsonComments(text))
    : value;
}

/** Loads the library late, because it takes longer to load than a small pack takes to build. */
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

/** Drops comments and trailing commas, which configuration files of editors contain. */
function withoutJsonComments(text: string): string {
  return text
    .replace(
      /("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/g,
      (_, quoted?: string) => quoted ?? " ",
    )
    .replace(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[\]}])/g, (_, quoted?: string) => quoted ?? "");
}
