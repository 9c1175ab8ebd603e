import type { Facet } from "@ccl/search";
import { sortFacets } from "@ccl/search";

import type { ResourceRecord } from "../record/resource-record.ts";
import { digestName } from "../record/schema-digest.ts";

/** A field that has its own weight. */
export type SearchField =
  | "title"
  | "path"
  | "container"
  | "tags"
  | "kind"
  | "description"
  | "columns"
  | "columnDetails"
  | "examples";

/** Returns a record's searchable text by field. Missing fields are empty strings. Custom fields are not searched. */
export function searchableFields(record: ResourceRecord): Record<SearchField, string> {
  const { steps, parent } = splitAddress(record.id);
  const columns = record.columns ?? [];
  const names =
    columns.length > 0
      ? columns.map(({ name, label }) => joinTexts([name, label]))
      : record.schema_digest.map(digestName);
  const details = columns.map(({ description, unit }) => joinTexts([description, unit]));
  const examples = (record.examples ?? []).map(({ task, ops }) =>
    joinTexts([task, ...(ops ?? [])]),
  );
  return {
    title: record.title,
    path: joinTexts([steps, record.uri]),
    container: joinTexts([parent, record["container"]]),
    tags: joinTexts([...record.tags, record.owner]),
    kind: record.kind,
    description: record.description ?? "",
    columns: names.join("\n"),
    columnDetails: joinTexts(details),
    examples: joinTexts(examples),
  };
}

/**
 * Returns the container that a record shares with its neighbours: its field `container`, or its uri or id without
 * the last step, or its first tag without a colon. Otherwise, returns the record's id.
 */
export function containerOf(record: ResourceRecord): string {
  const named = record["container"];
  if (typeof named === "string" && named !== "") return named;
  const { parent } = splitAddress(record.uri ?? record.id);
  if (parent !== "") return parent;
  return record.tags.find((tag) => !tag.includes(":")) ?? record.id;
}

/** Facets that tags cannot add values to. */
const ownFacets: ReadonlySet<string> = new Set(["kind", "owner", "cap", "tag"]);

/** Returns a record's facets without duplicates, in code unit order. */
export function facetsOf(record: ResourceRecord): Facet[] {
  const found: Facet[] = [["kind", record.kind]];
  if (record.owner !== undefined) found.push(["owner", record.owner]);
  for (const cap of record.cap) found.push(["cap", cap]);
  for (const tag of record.tags) {
    found.push(["tag", tag]);
    const colon = tag.indexOf(":");
    if (colon > 0 && !ownFacets.has(tag.slice(0, colon)))
      found.push([tag.slice(0, colon), tag.slice(colon + 1)]);
  }
  return sortFacets(found);
}

function splitAddress(address: string): { steps: string; parent: string } {
  // Leading control characters mark an index entry and are not part of the id.
  // oxlint-disable-next-line no-control-regex
  const plain = address.replace(/^[\u0000-\u001f]+/, "");
  const slash = plain.lastIndexOf("/");
  const cut = slash >= 0 ? slash : Math.max(plain.lastIndexOf("."), plain.lastIndexOf(":"));
  return { steps: plain.slice(cut + 1), parent: cut < 0 ? "" : plain.slice(0, cut) };
}

function joinTexts(texts: readonly unknown[]): string {
  return texts.filter((text) => typeof text === "string" && text !== "").join("\n");
}
