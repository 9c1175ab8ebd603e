import { inertText } from "../record/inert-text.ts";
import type { ResourceKind } from "../record/resource-record.ts";
import { digestName } from "../record/schema-digest.ts";

/** Input of a row. */
export interface RowInput {
  id: string;
  kind: ResourceKind;
  title: string;
  schema_digest?: readonly string[] | undefined;
  /** Shown in a long row. Undefined if the principal may not see it. */
  description?: string | undefined;
}

/** The parts of a row. Each string is one line. */
export interface OverviewRow {
  id: string;
  kind: string;
  /** The database, server or folder that several rows share, without a scheme. Empty if the id names none. */
  container: string;
  /** The name to show under a heading that already names the container. */
  name: string;
  /** The name to show if there is no such heading. */
  fullName: string;
  /** Fields and description, with separators. Empty if the row has neither. */
  tail: string;
}

const longestName = 80;
const longestContainer = 60;
const longestFields = 75;
const longestDescription = 70;
const scheme = /^(?:res(?::|$))?(?:(?:db|api|kv|bus|file|skill|tool)(?:[.:]|$))?/;

/** Splits a resource into the parts of its row. */
export function overviewRow({
  id,
  kind,
  title,
  schema_digest = [],
  description,
}: RowInput): OverviewRow {
  const cut = lastStep(id);
  const container = inertText(
    cut < 0 ? "" : id.slice(0, cut).replace(scheme, ""),
    longestContainer,
  );
  const fullName = inertText(title, longestName) || "?";
  const name = container === "" ? fullName : withoutContainer(fullName, container);
  const last = lastStepOf(container);
  const isNamed =
    name !== fullName || container === "" || fullName.toLowerCase().includes(last.toLowerCase());
  const fields = fieldsOf(schema_digest);
  const about = aboutOf(description, fullName);
  return {
    id,
    kind: inertText(kind, 20) || "?",
    container,
    name,
    fullName: isNamed ? fullName : `${last}.${fullName}`,
    tail: fields === "" && about === "" ? "" : `: ${[fields, about].filter(Boolean).join(" - ")}`,
  };
}

function lastStep(id: string): number {
  const slash = id.lastIndexOf("/");
  return slash >= 0
    ? slash
    : Math.max(id.lastIndexOf("."), id.lastIndexOf("#"), id.lastIndexOf(":"));
}

/**
 * Removes the part of a name that repeats the heading: `orders (pg.main)` under `pg.main.public`,
 * or `TheClique search` under `Data/TheClique`.
 */
function withoutContainer(name: string, container: string): string {
  const [, before, inside] = /^(.+) \(([^()]+)\)$/.exec(name) ?? [];
  if (before !== undefined && inside !== undefined && container.includes(inside)) return before;
  const last = lastStepOf(container);
  const isLed = last !== "" && name.toLowerCase().startsWith(last.toLowerCase());
  if (!isLed || !/^[ ./:_-]/.test(name.slice(last.length))) return name;
  return name.slice(last.length + 1).trim() || name;
}

function lastStepOf(container: string): string {
  return container.slice(Math.max(container.lastIndexOf("/"), container.lastIndexOf(".")) + 1);
}

/** Joins the names in a digest with spaces, or with commas if a name contains a space. */
function fieldsOf(digest: readonly string[]): string {
  const names = digest.slice(0, 5).map((entry) => inertText(digestName(entry.slice(0, 200)), 30));
  const shown = names.filter((name) => name !== "");
  const text = shown.join(shown.some((name) => name.includes(" ")) ? ", " : " ");
  return inertText(text, longestFields);
}

function aboutOf(description: string | undefined, title: string): string {
  if (description === undefined || description === "") return "";
  const [sentence = ""] = inertText(description, 200).split(/(?<=[.!?。]) /);
  const about = inertText(sentence, longestDescription).replace(/\.$/, "");
  return about.toLowerCase() === title.toLowerCase() ? "" : about;
}
