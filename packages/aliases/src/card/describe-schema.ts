import type { SchemaField } from "./schema-field.ts";
import { describeFacts, describeItems } from "./describe-items.ts";

/** Describes which fields of a schema were added, removed or changed, and how. */
export function describeSchema(
  before: readonly SchemaField[],
  after: readonly SchemaField[],
): string[] {
  return describeItems(before, after, {
    key: ({ name }) => name,
    added: (field) => `schema field "${field.name}" added (${describeAdded(field)})`,
    removed: ({ name }) => `schema field "${name}" removed`,
    changed: (was, field) =>
      describeField(was, field).map((change) => `schema field "${field.name}" ${change}`),
  });
}

const describeType = ({ type, values }: SchemaField): string =>
  values === undefined ? type : `${type}: ${values.join(",")}`;

function describeAdded(field: SchemaField): string {
  const format = field.facts["format"] === undefined ? "" : ` ${field.facts["format"]}`;
  return `${describeType(field)}${format}${field.isRequired === true ? ", required" : ""}`;
}

function describeField(before: SchemaField, after: SchemaField): string[] {
  const changes: string[] = [];
  if (before.type !== after.type)
    changes.push(`type changed: ${describeType(before)} -> ${describeType(after)}`);
  else if (before.values !== undefined && after.values !== undefined)
    changes.push(...describeValues(before, after));
  if (before.isRequired !== after.isRequired)
    changes.push(after.isRequired === true ? "is now required" : "is now optional");
  return [...changes, ...describeFacts(Object.entries(before.facts), Object.entries(after.facts))];
}

function describeValues(before: SchemaField, after: SchemaField): string[] {
  const old = new Set(before.values);
  const fresh = new Set(after.values);
  const added = [...fresh].filter((value) => !old.has(value)).join(",");
  const removed = [...old].filter((value) => !fresh.has(value)).join(",");
  if (added === "" && removed === "") return [];
  if (after.type.startsWith("const")) return [`const changed: ${removed} -> ${added}`];
  return [
    ...(added === "" ? [] : [`values added: ${added}`]),
    ...(removed === "" ? [] : [`values removed: ${removed}`]),
  ];
}
