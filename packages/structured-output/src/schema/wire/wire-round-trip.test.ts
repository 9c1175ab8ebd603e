import { isDeepStrictEqual } from "node:util";

import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { JsonSchema } from "../../json-schema/json-schema.ts";
import { lintWireSchema } from "./lint-wire-schema.ts";
import { toWireSchema } from "./to-wire-schema.ts";

type WireNode = Record<string, unknown> & {
  properties?: Record<string, WireNode>;
  items?: WireNode;
  anyOf?: WireNode[];
};

/** A random domain schema with a way to make values that fit it. `left` bounds recursion. */
interface Kind {
  schema: Record<string, unknown> | boolean;
  value(left: number): fc.Arbitrary<unknown>;
  /** A value as a model writes it by the wire's node, which is neither a reference nor JSON text. */
  write(value: unknown, node: WireNode, write: Write): unknown;
}
type Write = (kind: Kind, value: unknown, node: WireNode | undefined) => unknown;

// ajv does not look at a declared property of the name __proto__, but knows it as any other name of a map.
const declaredName = fc.constantFrom("a", "b", "key", "value", "variant", "constructor", "a/b~c");
const mapName = fc.oneof(declaredName, fc.constant("__proto__"));
const json = fc
  .jsonValue({ maxDepth: 2 })
  .map((value): unknown => JSON.parse(JSON.stringify(value)));
const text = fc.constantFrom("", "a", "null", '"a"', "5", "{}", "x/y");

const constant = (schema: Kind["schema"], value: fc.Arbitrary<unknown>): Kind => ({
  schema,
  value: () => value,
  write: (one) => one,
});

/** What is written by the finished wire schema. */
function writeBy(root: WireNode, domain: JsonSchema): Write {
  const definitions = (root["$defs"] ?? {}) as Record<string, WireNode>;
  const write: Write = (kind, value, given) => {
    const { $ref: reference } = given ?? {};
    const node = typeof reference === "string" ? nodeAt(reference) : (given ?? {});
    const isText = node["type"] === "string" && /JSON text/.test(String(node["description"]));
    return isText ? JSON.stringify(value) : kind.write(value, node, write);
  };
  const nodeAt = (reference: string): WireNode =>
    reference === "#" ? root : (definitions[reference.slice("#/$defs/".length)] ?? {});
  fitting = (schema, value) => {
    const { $schema: _, ...definition } = domain;
    const checker = new Ajv2020({ strict: false, validateSchema: false, ownProperties: true });
    return checker.validate({ allOf: [schema], $defs: definition["$defs"] }, value);
  };
  return write;
}
let fitting: (schema: Kind["schema"], value: unknown) => boolean = () => true;

const scalar: fc.Arbitrary<Kind> = fc.constantFrom(
  constant({ type: "string", minLength: 0, maxLength: 9 }, text),
  constant({ type: "integer", minimum: -5, maximum: 5 }, fc.integer({ min: -5, max: 5 })),
  constant({ type: ["number", "null"] }, fc.constantFrom(null, 0.5, 7)),
  constant({ type: "boolean" }, fc.boolean()),
  constant({ type: "null" }, fc.constant(null)),
  constant({ enum: ["a", 1, null, true] }, fc.constantFrom("a", 1, null, true)),
  constant({ const: "5" }, fc.constant("5")),
  constant({ enum: [{ a: 1 }, "b"] }, fc.constantFrom({ a: 1 }, "b")),
  constant({}, json),
  constant(true, json),
  constant(
    { not: { type: "null" } },
    json.filter((value) => value !== null),
  ),
);

const definitionNames = ["Node", "Other"];

/** Values of a definition are made from the finished schema, so that a reference looks them up when they are asked for. */
function kinds(lookUp: (definition: string) => Kind): fc.Arbitrary<Kind> {
  const reference = fc.constantFrom(...definitionNames).map((definition): Kind => ({
    // Only through an array: a definition that needs itself has no finite value.
    schema: { type: "array", items: { $ref: `#/$defs/${definition}` } },
    value: (left) =>
      left > 0 ? fc.array(lookUp(definition).value(left - 1), { maxLength: 2 }) : fc.constant([]),
    write: (value, { items }, write) =>
      (value as unknown[]).map((item) => write(lookUp(definition), item, items)),
  }));
  const { kind } = fc.letrec<{ kind: Kind }>((tie) => ({
    kind: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { arbitrary: scalar, weight: 3 },
      { arbitrary: reference, weight: 1 },
      fc.array(tie("kind"), { minLength: 1, maxLength: 3 }).map((branches) => unionOf(branches)),
      tie("kind").map((item): Kind => ({
        schema: { type: "array", items: item.schema },
        value: (left) => fc.array(item.value(left), { maxLength: 2 }),
        write: (value, { items }, write) =>
          (value as unknown[]).map((one) => write(item, one, items)),
      })),
      fc.array(tie("kind"), { minLength: 1, maxLength: 3 }).map((items) => tupleOf(items)),
      tie("kind").map((member): Kind => ({
        schema: { type: "object", additionalProperties: member.schema },
        value: (left) => fc.dictionary(mapName, member.value(left), { maxKeys: 3 }),
        write: (value, node, write) => writePairs(member, value as object, { node, write }),
      })),
      fc
        .tuple(
          fc.uniqueArray(fc.tuple(declaredName, tie("kind"), fc.boolean()), {
            selector: ([key]) => key,
            maxLength: 4,
          }),
          fc.option(tie("kind")),
        )
        .map(([properties, extras]) => objectOf(properties, extras ?? undefined)),
    ),
  }));
  return kind;
}

function unionOf(branches: readonly Kind[]): Kind {
  return {
    schema: { anyOf: branches.map((branch) => branch.schema) },
    value: (left) => fc.oneof(...branches.map((branch) => branch.value(left))),
    write: (value, node, write) => {
      const index = branches.findIndex((branch) => fitting(branch.schema, value));
      const branch = branches[index] ?? constant(true, json);
      if (branches.length === 1) return write(branch, value, node);
      const below = node.anyOf?.[index];
      const { variant, value: inner } = below?.properties ?? {};
      return variant?.["enum"] === undefined ||
        !isDeepStrictEqual(variant["enum"], [`${index + 1}`])
        ? write(branch, value, below)
        : { variant: `${index + 1}`, value: write(branch, value, inner) };
    },
  };
}

function tupleOf(items: readonly Kind[]): Kind {
  return {
    schema: {
      type: "array",
      prefixItems: items.map((item) => item.schema),
      items: false,
      minItems: 1,
    },
    value: (left) =>
      fc
        .tuple(
          fc.tuple(...items.map((item) => item.value(left))),
          fc.integer({ min: 1, max: items.length }),
        )
        .map(([all, length]) => all.slice(0, length)),
    write: (value, { properties = {} }, write) =>
      Object.fromEntries(
        items.map((item, index) => {
          const list = value as unknown[];
          const node = properties[`item${index}`];
          const member =
            index < list.length ? write(item, list[index], index > 0 ? orNull(node) : node) : null;
          return [`item${index}`, member];
        }),
      ),
  };
}

/** The node of an optional member without its null. */
function orNull(node: WireNode | undefined): WireNode | undefined {
  const [first, second, ...others] = node?.anyOf ?? [];
  const isOptional = others.length === 0 && isDeepStrictEqual(second, { type: "null" });
  return isOptional ? first : node;
}

function writePairs(
  member: Kind,
  value: object,
  { node, write }: { node: WireNode | undefined; write: Write },
): unknown {
  const below = node?.items?.properties?.["value"];
  return Object.entries(value).map(([key, one]) => ({ key, value: write(member, one, below) }));
}

function objectOf(properties: readonly [string, Kind, boolean][], extras: Kind | undefined): Kind {
  const extraNames = ["extra1", "additionalProperties"];
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(properties.map(([key, kind]) => [key, kind.schema])),
      required: properties.filter(([, , isRequired]) => isRequired).map(([key]) => key),
      additionalProperties: extras?.schema ?? false,
    },
    value: (left) => {
      const members = properties.map(([key, kind, isRequired]) =>
        fc.tuple(fc.constant(key), kind.value(left), isRequired ? fc.constant(true) : fc.boolean()),
      );
      const others =
        extras === undefined
          ? []
          : extraNames.map((key) => fc.tuple(fc.constant(key), extras.value(left), fc.boolean()));
      return fc
        .tuple(...members, ...others)
        .map((entries) =>
          Object.fromEntries(
            entries.filter(([, , isThere]) => isThere).map(([key, value]) => [key, value]),
          ),
        );
    },
    write: (value, node, write) => {
      const left = new Map(Object.entries(value as object));
      const members = properties.map(([key, kind, isRequired]): [string, unknown] => {
        const below = node.properties?.[key];
        const written = left.has(key)
          ? write(kind, left.get(key), isRequired ? below : orNull(below))
          : null;
        left.delete(key);
        return [key, written];
      });
      if (extras === undefined) return Object.fromEntries(members);
      if (properties.length === 0) return writePairs(extras, value as object, { node, write });
      const pairs = writePairs(extras, Object.fromEntries(left), {
        node: node.properties?.["additionalProperties"],
        write,
      });
      return Object.fromEntries([...members, ["additionalProperties", pairs]]);
    },
  };
}

/** A schema with definitions that may refer to each other and to themselves, and a value that fits. */
const cases: fc.Arbitrary<{ schema: JsonSchema; value: unknown; root: Kind }> = fc
  .constant(undefined)
  .chain(() => {
    const definitions = new Map<string, Kind>();
    const lookUp = (definition: string): Kind =>
      definitions.get(definition) ?? constant({ type: "null" }, fc.constant(null));
    return fc.tuple(kinds(lookUp), kinds(lookUp), kinds(lookUp)).chain(([root, node, other]) => {
      definitions.set("Node", node).set("Other", other);
      const whole = typeof root.schema === "boolean" ? { anyOf: [root.schema] } : root.schema;
      const schema = { ...whole, $defs: { Node: node.schema, Other: other.schema } };
      return root
        .value(2)
        .map((value) => ({ schema, root, value: JSON.parse(JSON.stringify(value)) }));
    });
  });

/** Without members and last items that are null: an optional one that may be null comes back as absent. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => withoutNull(item));
    return items.slice(0, items.findLastIndex((item) => item !== null) + 1);
  }
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNull(member)]));
}

describe("a random schema on the wire", () => {
  it("is within the strict subset, and gives every value back, where null is as good as absent", () => {
    fc.assert(
      fc.property(cases, ({ schema, value, root }) => {
        const wire = toWireSchema(schema);
        expect(lintWireSchema(wire.schema)).toEqual([]);
        expect(wire.notes.filter((note) => note.message.startsWith("The whole value"))).toEqual([]);
        const node: WireNode = wire.schema;
        const write = writeBy(node, schema);
        const isWrapped = wire.notes.some(({ code }) => code === "wire_root_wrapped");
        const encoded = isWrapped
          ? { value: write(root, value, node.properties?.["value"]) }
          : write(root, value, node);
        const fits = new Ajv2020({
          strict: false,
          logger: false,
          validateSchema: false,
          validateFormats: false,
          ownProperties: true,
        });
        fits.validate(wire.schema, encoded);
        expect(fits.errors ?? []).toEqual([]);
        expect(withoutNull(wire.decode(encoded))).toEqual(withoutNull(value));
      }),
    );
  });

  it("never throws on a wire value of any shape", () => {
    fc.assert(
      fc.property(cases, json, ({ schema }, answer) => {
        expect(() => toWireSchema(schema).decode(answer)).not.toThrow();
      }),
    );
  });
});
