// Writes the page of operation kinds: names and types from their schemas, meanings from the comments of their types.
import fs from "node:fs";
import path from "node:path";
import ts from "typescript";

const sources = path.resolve(import.meta.dirname, "../../packages/operations/src");
// Fields that have their own table, and the type whose comments describe them.
const shared = {
  writeArtifact: "ArtifactWrite",
  retention: "ArtifactRetention",
  inclusion: "PromptInclusion",
  retry: "RetryParams",
  samplers: "LlmSamplers",
};

/** Markdown of the page. `results` describes the outcome of each example. */
export function kindsPage(examples, { schemas, records, results }) {
  const comments = commentsOfTypes();
  const tables = new Map();
  const kinds = Object.keys(examples).map((kind) => {
    const { purpose, needs } = examples[kind];
    const type = `${kind[0].toUpperCase()}${kind.slice(1)}Params`;
    return [
      `## ${kind}`,
      needs === undefined ? purpose : `${purpose} Needs ${needs}.`,
      tableOf(schemas[kind], type, { comments, tables }),
      `\`\`\`json\n${shownJson(records[kind])}\n\`\`\``,
      `${results[kind]}`,
    ].join("\n\n");
  });
  tables.set("emit", variantsOf(schemas.template.properties.emit, "type"));
  tables.set("steps", variantsOf(schemas.transform.properties.steps, "use"));
  tables.set("condition", conditionTable(schemas.guard, comments));
  const parts = Array.from(tables, ([name, table]) => `### ${name}\n\n${table}`);
  return `${[head, ...kinds, "## Shared parts", ...parts].join("\n\n")}\n`;
}

const head = `# Kinds of operations

<!-- Written by scripts/docs/operation-kinds.test.mjs; \`npx vitest run scripts/docs --update\` writes it anew. -->

The kind of an operation of [@ccl/operations](../packages/operations) decides what it does, and \`params\` of its record in a
profile decide how. In code, \`defineProfile\` with \`template(...)\`, \`rag(...)\` and so on writes these records for you. Stored
profiles, editors and other languages write them by hand. Each record below is run unchanged, with the turn
\`{ vars: { name: "Ann", city: "Oslo" } }\`, the message "How is the weather?" and the answer " Much rain. ". Templates are
Liquid with \`art\`, \`chatHistory\`, \`vars\` and, after the main call, \`main\`.`;

/** Types that several kinds extend. */
const sharedParams = ["CallParams", "ResultParams"];

function tableOf(schema, type, { comments, tables }) {
  const required = new Set(schema.required);
  const rows = Object.entries(schema.properties).map(([name, field]) => {
    const own = shared[name];
    if (own !== undefined && !tables.has(name)) {
      tables.set(name, "");
      tables.set(name, tableOf(field, own, { comments, tables }));
    }
    const shape = own === undefined ? typeOf(name, field) : `[object](#${name.toLowerCase()})`;
    const meaning =
      [type, ...sharedParams].map((from) => comments.get(from)?.get(name)).find(Boolean) ?? "";
    return `| \`${name}\`${required.has(name) ? " (required)" : ""} | ${shape} | ${escaped(meaning)} |`;
  });
  return ["| parameter | type | meaning |", "| --- | --- | --- |", ...rows].join("\n");
}

/** A condition is recursive, so its schema is among the definitions. */
function conditionTable({ $defs, properties: { condition } }, comments) {
  const { anyOf } =
    condition.anyOf === undefined ? $defs[path.basename(condition.$ref)] : condition;
  const comparison = anyOf.find(({ properties }) => properties?.ref !== undefined);
  const table = tableOf(comparison, "GuardComparison", { comments, tables: new Map() });
  return `A comparison of one value, or \`{ "all": [...] }\`, \`{ "any": [...] }\` or \`{ "not": ... }\` of conditions.\n\n${table}`;
}

function escaped(text) {
  return text.replaceAll("|", "\\|");
}

const named = {
  condition: "[condition](#condition)",
  conditions: "[conditions](#condition) by name",
  emit: "list of [effects](#emit)",
  steps: "list of [steps](#steps)",
};

/** A table of the possible items of a list, by the field that distinguishes them. */
function variantsOf({ items }, by) {
  const variants = [items].flatMap(function flat(part) {
    return (part.oneOf ?? part.anyOf)?.flatMap(flat) ?? [part];
  });
  const rows = variants.map(({ properties: { [by]: own, ...fields }, required }) => {
    const others = Object.entries(fields).map(
      ([name, field]) =>
        `\`${name}\`${required.includes(name) ? " (required)" : ""}: ${typeOf(name, field)}`,
    );
    return `| ${typeOf(by, own)} | ${others.join("; ")} |`;
  });
  return [`| \`${by}\` | and |`, "| --- | --- |", ...rows].join("\n");
}

/** Puts a short list on one line. */
function shownJson(value) {
  return JSON.stringify(value, undefined, 2).replaceAll(/\[\s+("[^"]*")\s+\]/g, "[$1]");
}

function typeOf(name, schema) {
  if (named[name] !== undefined) return named[name];
  const { type, enum: values, const: only, anyOf, items, properties, pattern } = schema;
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (pattern?.startsWith("^x:")) return "`x:` and the name of one of your `transforms`";
  if (values !== undefined)
    return values.map((value) => `\`${JSON.stringify(value)}\``).join(" or ");
  if (anyOf !== undefined) return anyOf.map((part) => typeOf("", part)).join(" or ");
  if (type === "array") return `list of ${typeOf("", items)}`;
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(
      ([key, part]) => `\`${key}\`: ${typeOf(key, part)}`,
    );
    return `object of ${fields.join(", ")}`;
  }
  if (type === undefined) return "JSON";
  const types = [type].flat().map((name) => (name === "string" ? "text" : name));
  return `${types.join(" or ")}${rangeOf(schema)}`;
}

function rangeOf({ type, minimum, maximum, maxLength }) {
  if (type === "string")
    return maxLength === undefined ? "" : `, up to ${count(maxLength)} characters`;
  const isBounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  const isAbove = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER;
  if (isAbove)
    return isBounded ? `, ${count(minimum)} to ${count(maximum)}` : `, from ${count(minimum)}`;
  return isBounded ? `, up to ${count(maximum)}` : "";
}

function count(number) {
  return number.toLocaleString("en");
}

/** Comments by the name of an interface and of its field. */
function commentsOfTypes() {
  const types = new Map();
  for (const file of fs.readdirSync(sources, { recursive: true })) {
    if (!/^(kinds|artifact)[/\\].*(?<!\.test)\.ts$/.test(file)) continue;
    const text = fs.readFileSync(path.join(sources, file), "utf8");
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    for (const statement of source.statements.filter(ts.isInterfaceDeclaration)) {
      const members = statement.members.filter(({ name }) => name !== undefined);
      types.set(
        statement.name.text,
        new Map(members.map((member) => [member.name.text, commentOf(member)])),
      );
    }
  }
  return types;
}

function commentOf(member) {
  const [{ comment } = {}] = ts.getJSDocCommentsAndTags(member);
  return typeof comment === "string" ? comment.replaceAll(/\s+/g, " ") : undefined;
}
