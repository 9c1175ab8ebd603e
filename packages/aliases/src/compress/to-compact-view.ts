import type { TokenCounter } from "@ccl/core";

import type { SourceInput } from "../outline/outline.ts";
import { minifyJson } from "./minify-json.ts";
import { minifyYaml } from "./minify-yaml.ts";
import { renderTable } from "./render-table.ts";
import { stripComments } from "./strip-comments.ts";

/** A text for reading, and what was done to it. */
export interface CompactView {
  text: string;
  form: "original" | "minified" | "table" | "stripped";
}

/** The form of a file that the counter finds smallest, without loss of meaning; the original unless another one is smaller. */
export async function toCompactView(
  input: SourceInput,
  counter: TokenCounter,
): Promise<CompactView> {
  let best: CompactView = { text: input.text, form: "original" };
  let tokens = counter.count(input.text);
  for (const view of await otherForms(input, counter)) {
    const count = counter.count(view.text);
    if (count >= tokens) continue;
    best = view;
    tokens = count;
  }
  return best;
}

async function otherForms(input: SourceInput, counter: TokenCounter): Promise<CompactView[]> {
  if (/\.ya?ml$/i.test(input.path)) {
    const text = minifyYaml(input.text, (form) => counter.count(form));
    return text === undefined ? [] : [{ text, form: "minified" }];
  }
  const json = /^\s*[[{]/.test(input.text) ? minifyJson(input.text) : undefined;
  if (json === undefined) return [{ text: await stripComments(input), form: "stripped" }];
  const table = tableOf(json);
  return [
    { text: json, form: "minified" },
    ...(table === undefined ? [] : [{ text: table, form: "table" as const }]),
  ];
}

/** Only of JSON that a parser reads without loss: no double keys, no number that is spelled otherwise. */
function tableOf(json: string): string | undefined {
  const value: unknown = JSON.parse(json);
  return JSON.stringify(value) === json ? renderTable(value) : undefined;
}
