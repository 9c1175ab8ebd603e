import { arrayAt, isRecord, isSameJson, recordAt } from "@ccl/core/json";
import { dropConstraints } from "./drop-constraints.ts";
import {
  identity,
  below,
  type Converted,
  type Decode,
  type Place,
  warn,
  type WireNode,
} from "./wire-context.ts";

interface Property extends Converted {
  name: string;
  isOptional: boolean;
}

/** Converts an object. On the wire, named properties are all required, and others become a list of pairs. */
export function convertObject(node: WireNode, place: Place): Converted {
  const named = namedProperties(node);
  const others = otherProperties(node);
  if (others !== undefined && named.size === 0) {
    const { schema, decode } = convertPairs(others, node["propertyNames"], place);
    return { schema: dropConstraints(schema, node, place), decode };
  }
  const isOpen = node["additionalProperties"] === undefined && node["properties"] !== undefined;
  if (isOpen && named.size > 0)
    warn(
      place,
      "wire_extra_properties",
      "Properties that the schema does not name are not requested.",
    );
  const required = new Set(arrayAt(node, "required"));
  const properties = [...named].map(([name, property]): Property => {
    const converted = place.context.convert(property, below(place, 1, "properties", name));
    const isOptional = !required.has(name);
    return { name, isOptional, ...(isOptional ? optional(converted, place) : converted) };
  });
  const extras =
    others === undefined
      ? []
      : [{ name: freeName(named), ...convertPairs(others, undefined, below(place, 1)) }];
  const isSame = properties.every(({ isOptional, decode }) => !isOptional && decode === identity);
  const members = [...properties, ...extras].map(({ name, schema }) => [name, schema] as const);
  return {
    schema: dropConstraints(objectOf(members), node, place),
    decode: isSame && extras.length === 0 ? identity : membersBy(properties, extras[0]),
  };
}

/** Builds a strict object with these properties. */
export function objectOf(members: readonly (readonly [string, WireNode])[]): WireNode {
  return {
    type: "object",
    properties: Object.fromEntries(members),
    required: members.map(([name]) => name),
    additionalProperties: false,
  };
}

/** Returns declared properties, then names that are only in `required`. */
function namedProperties(node: WireNode): Map<string, unknown> {
  const named = new Map<string, unknown>(Object.entries(recordAt(node, "properties")));
  const fallback = isRecord(node["additionalProperties"]) ? node["additionalProperties"] : true;
  for (const name of arrayAt(node, "required")) {
    if (typeof name === "string" && !named.has(name)) named.set(name, fallback);
  }
  return named;
}

/** Returns the schema of unnamed properties. Undefined if none should be sent. */
function otherProperties(node: WireNode): unknown {
  const { additionalProperties, patternProperties, properties, required, propertyNames } = node;
  if (isRecord(patternProperties) && Object.keys(patternProperties).length > 0) return true;
  const areAllNamed =
    Array.isArray(required) &&
    isRecord(propertyNames) &&
    Array.isArray(propertyNames["enum"]) &&
    propertyNames["enum"].every((name) => required.includes(name));
  if (additionalProperties === false || areAllNamed) return undefined;
  return additionalProperties ?? (isRecord(properties) ? undefined : true);
}

/** Names the wire property that carries properties the schema does not name. */
function freeName(named: ReadonlyMap<string, unknown>): string {
  let name = "additionalProperties";
  while (named.has(name)) name += "_";
  return name;
}

function convertPairs(value: unknown, names: unknown, place: Place): Converted {
  const { convert } = place.context;
  const member = convert(value, below(place, 2, "additionalProperties"));
  const key = { type: "string", ...(isRecord(names) ? names : {}) };
  const keyed = convert(key, below(place, 2, "propertyNames"));
  const items = objectOf([
    ["key", keyed.schema],
    ["value", member.schema],
  ]);
  return { schema: { type: "array", items }, decode: pairsBy(member.decode) };
}

/** Treats null as absent, even if the property allows null, since models do not distinguish them. */
function optional({ schema, decode }: Converted, { context }: Place): Converted {
  const isNullable = (): boolean =>
    arrayAt(schema, "anyOf").some((one) => isSameJson(one, { type: "null" }));
  if (!isNullable()) return { schema: { anyOf: [schema, { type: "null" }] }, decode };
  // The branches may yet be tagged, and the null with them.
  context.settle.push(() => {
    if (!isNullable()) schema["anyOf"] = [...arrayAt(schema, "anyOf"), { type: "null" }];
  });
  return { schema, decode };
}

/** Decodes a list of pairs. A list with a repeated name is left as is. */
function pairsBy(decode: Decode): Decode {
  return (wire) => {
    if (!Array.isArray(wire) || !wire.every((pair) => isPair(pair))) return wire;
    const members = new Map(wire.map(({ key, value }) => [key, decode(value)]));
    return members.size === wire.length ? Object.fromEntries(members) : wire;
  };
}

function isPair(value: unknown): value is { key: string; value: unknown } {
  return (
    isRecord(value) &&
    typeof value["key"] === "string" &&
    "value" in value &&
    Object.keys(value).length === 2
  );
}

function membersBy(
  properties: readonly Property[],
  extras: { name: string; decode: Decode } | undefined,
): Decode {
  const known = new Map(properties.map((property) => [property.name, property]));
  const decodeMember = ([name, wire]: [string, unknown]): [string, unknown][] => {
    const property = known.get(name);
    if (property?.isOptional === true && wire === null) return [];
    if (name !== extras?.name) return [[name, (property?.decode ?? identity)(wire)]];
    const unnamed = extras.decode(wire);
    const isPlain = isRecord(unnamed) && Object.keys(unnamed).every((key) => !known.has(key));
    return isPlain ? Object.entries(unnamed) : [[name, wire]];
  };
  return (wire) =>
    isRecord(wire) ? Object.fromEntries(Object.entries(wire).flatMap(decodeMember)) : wire;
}
