import { leadingLines } from "./card-lines.ts";
import { maxSchemaFields, type SchemaField } from "./schema-field.ts";

/** Reads the fields of a GraphQL, protobuf or SQL file line by line. Returns undefined for other paths. */
export function readSchemaText(path: string, text: string): SchemaField[] | undefined {
  const extension = /\.(graphqls?|gql|proto|sql)$/i.exec(path)?.[1]?.toLowerCase();
  if (extension === undefined) return undefined;
  if (extension === "sql") return readSql(text);
  return readBlocks(text, extension === "proto" ? protoField : graphqlField);
}

type FieldReader = (line: string, owner: string) => SchemaField | undefined;

/** Reads `kind Name {` blocks with one member per line. The members of an enum are its values. */
function readBlocks(text: string, readField: FieldReader): SchemaField[] {
  const fields: SchemaField[] = [];
  const owners: { name: string; values?: string[] | undefined }[] = [];
  for (const rawLine of leadingLines(text)) {
    const line = rawLine.replace(/(?:\/\/|#).*$/, "").trim();
    const open =
      /^(?:extend\s+)?(type|input|interface|enum|message|oneof)\s+(\w+)[^{]*\{(.*)$/.exec(line);
    const owner = owners.at(-1);
    if (open?.[2] !== undefined) {
      const values = open[1] === "enum" ? [] : undefined;
      if (values !== undefined) fields.push({ name: open[2], type: "enum", values, facts: {} });
      const name = open[1] === "oneof" ? (owner?.name ?? open[2]) : open[2];
      owners.push(values === undefined ? { name } : { name, values });
    } else if (/^(?:service|rpc|schema|union)\b.*\{$/.test(line))
      owners.push({ name: "", values: [] });
    else if (line.startsWith("}")) owners.pop();
    else if (owner?.values !== undefined) owner.values.push(...(/^\w+/.exec(line) ?? []));
    else if (owner !== undefined)
      fields.push(...[readField(line, owner.name)].filter((field) => field !== undefined));
    if (fields.length >= maxSchemaFields) break;
  }
  return fields;
}

const graphqlField: FieldReader = (line, owner) => {
  const found = /^(\w+)\s*(\([^()]*\))?\s*:\s*([\w[\]!]+)/.exec(line);
  if (found?.[1] === undefined || found[3] === undefined) return undefined;
  const name = `${owner}.${found[1]}${found[2] ?? ""}`;
  return { name, type: found[3].replace(/!$/, ""), isRequired: found[3].endsWith("!"), facts: {} };
};

const protoField: FieldReader = (line, owner) => {
  const found =
    /^(?:(repeated|optional|required)\s+)?(map\s*<[^<>]*>|[\w.]+)\s+(\w+)\s*=\s*\d+/.exec(line);
  if (found?.[2] === undefined || found[3] === undefined) return undefined;
  const field = {
    name: `${owner}.${found[3]}`,
    type: found[2] + (found[1] === "repeated" ? "[]" : ""),
    facts: {},
  };
  return found[1] === "optional" || found[1] === "required"
    ? { ...field, isRequired: found[1] === "required" }
    : field;
};

/** Reads the columns of CREATE TABLE statements. A column is required if it is NOT NULL or a primary key. */
function readSql(text: string): SchemaField[] {
  const lines = leadingLines(text).map((line) => line.replace(/--.*$/, ""));
  return lines
    .join("\n")
    .split(";")
    .flatMap((statement) => {
      const open =
        /^\s*create\s+(?:\w+\s+)?table\s+(?:if\s+not\s+exists\s+)?([\w."`[\]]+)\s*\(/i.exec(
          statement,
        );
      if (open === null) return [];
      const table = (open[1] ?? "").replace(/["`[\]]/g, "");
      const end = statement.lastIndexOf(")");
      const body = statement.slice(open[0].length, end < open[0].length ? undefined : end);
      const columns = body.match(/(?:\([^()]*\)|[^,()])+/g) ?? [];
      return columns.flatMap((column) => readColumn(column.trim(), table));
    })
    .slice(0, maxSchemaFields);
}

function readColumn(column: string, table: string): SchemaField[] {
  const [, name = "", type = "", rest = ""] =
    /^["`[]?(\w+)["`\]]?\s+(\w+(?:\s*\([^()]*\))?)([^]*)$/.exec(column) ?? [];
  if (name === "" || /^(?:constraint|primary|foreign|unique|check|key|index|like)$/i.test(name))
    return [];
  const isRequired = /\bnot\s+null\b|\bprimary\s+key\b/i.test(rest);
  return [{ name: `${table}.${name}`, type: type.toLowerCase(), isRequired, facts: {} }];
}
