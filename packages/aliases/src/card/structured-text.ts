import { parse } from "yaml";

/** Larger YAML is not read: its parser takes seconds for megabytes. */
const maxYamlLength = 1_000_000;

/** A parsed JSON or YAML mapping. */
export type Mapping = Record<string, unknown>;

/** True for an object that is not an array. */
export function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a JSON (comments allowed) or YAML document by its path's ending; undefined when it is neither, or not valid. */
export function parseStructured(path: string, text: string): unknown {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  if (extension === "yaml" || extension === "yml") return parseYaml(text);
  const looksLikeJson = /^\s*[[{]/.test(text);
  if (!looksLikeJson) return undefined;
  return parseJson(text) ?? parseJson(withoutJsonComments(text));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseYaml(text: string): unknown {
  if (text.length > maxYamlLength) return undefined;
  try {
    return parse(text, { logLevel: "silent", maxAliasCount: 100 });
  } catch {
    return undefined;
  }
}

/** Comments and trailing commas dropped, as editors' configuration files have them. */
function withoutJsonComments(text: string): string {
  return text
    .replace(/("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/g, (_, quoted?: string) => quoted ?? " ")
    .replace(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[\]}])/g, (_, quoted?: string) => quoted ?? "");
}
