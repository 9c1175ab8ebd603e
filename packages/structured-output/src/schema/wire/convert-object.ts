import { arrayAt, isRecord, isSameJson, recordAt } from "@ccl/core/json";
import { dropConstraints } from "./drop-constraints.ts";
import {
  asItIs,
  type Converted,
  type Decode,
  type Position,
  type WireContext,
  type WireNode,
} from "./wire-context.ts";

interface Property {
  name: string;
  converted: Converted;
  isOptional: boolean;
}

/** The wire property that carries properties the schema does not name. */
const extrasName = "additionalProperties";

/** Converts an object. Named properties are all required on the wire, and others become a list of pairs. */
export function convertObject(node: WireNode, position: Position, context: WireContext): Converted {
  const named = namedProperties(node);
  const others = otherProperties(node);
  const inner = { ...position, depth: position.depth + 1 };
  if (others !== undefined && named.size === 0) {
    const pairs = convertPairs(others, node["propertyNames"], { position, context });
    return { ...pairs, schema: dropConstraints(pairs.schema, node, { position, context }) };
  }
  if (
    node["additionalProperties"] === undefined &&
    named.size > 0 &&
    node["properties"] !== undefined
  ) {
    context.note(
      "wire_extra_properties",
      position,
      "Properties that the schema does not name are not asked for.",
    );
  }
  const required = new Set(arrayAt(node, "required"));
  const properties = [...named].map(([name, property]): Property => {
    const at = { ...inner, path: [...position.path, "properties", name] };
    const isOptional = !required.has(name);
    const converted = context.convert(property, at);
    return { name, converted: isOptional ? optional(converted, context) : converted, isOptional };
  });
  const extras =
    others === undefined
      ? undefined
      : {
          name: freeName(named),
          pairs: convertPairs(others, undefined, { position: inner, context }),
        };
  return closedObject(node, properties, { extras, position, context });
}

function closedObject(
  node: WireNode,
  properties: readonly Property[],
  {
    extras,
    position,
    context,
  }: {
    extras: { name: string; pairs: Converted } | undefined;
    position: Position;
    context: WireContext;
  },
): Converted {
  const members = properties.map(({ name, converted }): [string, WireNode] => [
    name,
    converted.schema,
  ]);
  if (extras !== undefined) members.push([extras.name, extras.pairs.schema]);
  const schema = objectOf(members);
  const isSame =
    extras === undefined &&
    properties.every((item) => !item.isOptional && item.converted.decode === asItIs);
  const decode = isSame ? asItIs : membersBy(properties, extras);
  return { schema: dropConstraints(schema, node, { position, context }), decode };
}

/** A strict object with these properties. */
export function objectOf(members: readonly (readonly [string, WireNode])[]): WireNode {
  return {
    type: "object",
    properties: Object.fromEntries(members),
    required: members.map(([name]) => name),
    additionalProperties: false,
  };
}

/** Declared properties first, then names that are only in `required`. */
function namedProperties(node: WireNode): Map<string, unknown> {
  const named = new Map<string, unknown>(Object.entries(recordAt(node, "properties")));
  const fallback = isRecord(node["additionalProperties"]) ? node["additionalProperties"] : true;
  for (const name of arrayAt(node, "required")) {
    if (typeof name === "string" && !named.has(name)) named.set(name, fallback);
  }
  return named;
}

/** The schema of unnamed properties. Undefined if none should be sent. */
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

function freeName(named: ReadonlyMap<string, unknown>): string {
  let name: string = extrasName;
  while (named.has(name)) name += "_";
  return name;
}

function convertPairs(
  value: unknown,
  names: unknown,
  { position, context }: { position: Position; context: WireContext },
): Converted {
  const member = context.convert(value, {
    path: [...position.path, "additionalProperties"],
    depth: position.depth + 2,
  });
  const key = isRecord(names) ? { type: "string", ...names } : { type: "string" };
  const keyed = context.convert(key, {
    path: [...position.path, "propertyNames"],
    depth: position.depth + 2,
  });
  const items = objectOf([
    ["key", keyed.schema],
    ["value", member.schema],
  ]);
  return { schema: { type: "array", items }, decode: pairsBy(member.decode) };
}

/** Null means absent, even if the property allows null, since models do not distinguish them. */
function optional({ schema, decode }: Converted, context: WireContext): Converted {
  const isNullable = (): boolean =>
    arrayAt(schema, "anyOf").some((one) => isSameJson(one, { type: "null" }));
  if (!isNullable()) return { schema: { anyOf: [schema, { type: "null" }] }, decode };
  // The branches may be tagged yet, and the null with them.
  context.settle.push(() => {
    if (!isNullable()) schema["anyOf"] = [...arrayAt(schema, "anyOf"), { type: "null" }];
  });
  return { schema, decode };
}

/** Decodes a list of pairs. A list with a repeated name is not decoded. */
function pairsBy(decode: Decode): Decode {
  return (wire) => {
    if (!Array.isArray(wire) || !wire.every((pair) => isPair(pair))) return wire;
    const entries = wire.map(({ key, value }): [string, unknown] => [key, decode(value)]);
    return new Set(entries.map(([key]) => key)).size === entries.length
      ? Object.fromEntries(entries)
      : wire;
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
  extras: { name: string; pairs: Converted } | undefined,
): Decode {
  const known = new Map(properties.map((property) => [property.name, property]));
  const decodeMember = ([name, wire]: [string, unknown]): [string, unknown][] => {
    if (name === extras?.name) {
      const unnamed = extras.pairs.decode(wire);
      const isPlain = isRecord(unnamed) && Object.keys(unnamed).every((key) => !known.has(key));
      return isPlain ? Object.entries(unnamed) : [[name, wire]];
    }
    const property = known.get(name);
    if (property === undefined) return [[name, wire]];
    return property.isOptional && wire === null ? [] : [[name, property.converted.decode(wire)]];
  };
  return (wire) =>
    isRecord(wire)
      ? Object.fromEntries(Object.entries(wire).flatMap((member) => decodeMember(member)))
      : wire;
}
