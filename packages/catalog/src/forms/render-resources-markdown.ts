import { inertText } from "../record/inert-text.ts";
import type {
  ResourceColumn,
  ResourceDetails,
  ResourceSnippet,
} from "../record/resource-record.ts";

/** A resource to render: its details as seen by a principal, plus overview fields. */
export interface DocumentedResource extends ResourceDetails {
  tags?: string[] | undefined;
  owner?: string | undefined;
  updated_at?: string | undefined;
}

/** Options of the page. */
export interface ResourcesMarkdownOptions {
  /** Title of the page. Defaults to "Resources". */
  title?: string | undefined;
}

/**
 * Renders `resources.md`: a table of all resources, then a card for each, in the order given. Text
 * from records is escaped and cannot break out of its line.
 */
export function renderResourcesMarkdown(
  resources: readonly DocumentedResource[],
  { title = "Resources" }: ResourcesMarkdownOptions = {},
): string {
  const rows = resources.map(
    ({ id, kind, title: name, owner = "", tags = [] }) =>
      `| ${code(id)} | ${cell(kind)} | ${cell(name)} | ${cell(owner)} | ${cell(tags.join(", "))} |`,
  );
  const table = [
    "| id | kind | title | owner | tags |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ];
  const cards = resources.map((resource) => cardOf(resource).join("\n"));
  return `${[`# ${prose(title)}`, table.join("\n"), ...cards].join("\n\n")}\n`;
}

function cardOf(resource: DocumentedResource): string[] {
  const { id, uri, kind, title, description, columns = [], usage = {}, pushdown } = resource;
  const lines = [
    `## ${prose(title)}`,
    "",
    `${code(id)}, ${prose(kind)}${uri === undefined ? "" : `, ${code(uri)}`}`,
  ];
  if (description) lines.push("", prose(description));
  if (columns.length > 0) {
    lines.push(
      "",
      "| column | type | key | about |",
      "| --- | --- | --- | --- |",
      ...columns.map(columnRow),
    );
  }
  const able = Object.entries(pushdown ?? {}).flatMap(([name, isAble]) =>
    isAble === true ? [name] : [],
  );
  if (able.length > 0) lines.push("", `Pushdown: ${prose(able.join(", "))}`);
  for (const snippet of usage.snippets ?? []) lines.push("", ...snippetLines(snippet));
  const patterns = usage.anti_patterns ?? [];
  if (patterns.length > 0)
    lines.push("", "Avoid:", "", ...patterns.map((text) => `- ${prose(text)}`));
  return lines;
}

function columnRow({
  name,
  type = "",
  pk,
  fk,
  nn,
  unit,
  description = "",
}: ResourceColumn): string {
  const key = [
    pk === true ? "pk" : "",
    nn === true ? "not null" : "",
    fk === undefined ? "" : `-> ${fk}`,
  ];
  const about = [description, unit === undefined ? "" : `(${unit})`]
    .filter((text) => text !== "")
    .join(" ");
  return `| ${code(name)} | ${cell(type)} | ${cell(key.filter((text) => text !== "").join(", "))} | ${cell(about)} |`;
}

/** The fence is longer than any run of backticks in the code. */
function snippetLines({ engine, code: text, title }: ResourceSnippet): string[] {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const language = /^[\w+-]{1,20}$/.test(engine) ? engine : "";
  const heading = title === undefined ? [] : [prose(title), ""];
  return [...heading, `${fence}${language}`, ...text.split(/\r\n|[\n\r]/), fence];
}

function prose(text: string): string {
  return inertText(text, 2_000)
    .replace(/[\\`*_[\]<>|~]/g, String.raw`\$&`)
    .replace(/^(#|[-+]|\d+[.)])/, String.raw`\$1`);
}

function cell(text: string): string {
  return prose(inertText(text, 300));
}

function code(text: string): string {
  const line = inertText(text, 600).replaceAll("|", String.raw`\|`);
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const gap = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${gap}${line}${gap}${fence}`;
}
