import type { SchemaField } from "../card/schema-field.ts";

/** Describes which fields of a schema were added, removed or changed, and how. */
export function describeSchema(
  before: readonly SchemaField[],
  after: readonly SchemaField[],
): string[] {
  const old = new Map(before.map((field) => [field.name, field]));
  const fresh = new Map(after.map((field) => [field.name, field]));
  const added = [...fresh.values()].filter(({ name }) => !old.has(name));
  const removed = [...old.values()].filter(({ name }) => !fresh.has(name));
  const changed = [...fresh.values()].flatMap((field) => {
    const was = old.get(field.name);
    return was === undefined
      ? []
      : describeField(was, field).map((change) => `schema field "${field.name}" ${change}`);
  });
  return [
    ...added.map((field) => `schema field "${field.name}" added (${describeAdded(field)})`),
    ...removed.map(({ name }) => `schema field "${name}" removed`),
    ...changed,
  ];
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
  for (const name of [
    ...new Set([...Object.keys(before.facts), ...Object.keys(after.facts)]),
  ].sort()) {
    const old = before.facts[name];
    const fresh = after.facts[name];
    if (old === fresh) continue;
    if (old === undefined) changes.push(`${name} added: ${fresh}`);
    else
      changes.push(
        fresh === undefined ? `${name} removed: ${old}` : `${name} changed: ${old} -> ${fresh}`,
      );
  }
  return changes;
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
