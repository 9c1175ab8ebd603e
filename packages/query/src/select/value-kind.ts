import { columnDataType } from "../plan/data-type.ts";
import { findColumn, type NameScope } from "./name-scope.ts";
import { listOf, nodeOf, variantOf, type SyntaxPlaces } from "./syntax-tree.ts";

/** A text column, or a literal, which databases take for what it is compared with. */
type ValueKind = "number" | "text" | "literal";

const kindOfType: Readonly<Record<string, ValueKind>> = {
  int: "number",
  float: "number",
  decimal: "number",
  text: "text",
};

const textCalls: ReadonlySet<string> = new Set(
  "upper lower substr substring overlay replace trim ltrim rtrim btrim concat concat_ws left right lpad rpad repeat reverse initcap split_part translate chr char hex printf strftime to_char md5 typeof group_concat string_agg".split(
    " ",
  ),
);
const numberCalls: ReadonlySet<string> = new Set(
  "count sum avg extract position total abs round floor ceil ceiling sqrt power length instr strpos unicode ascii sign mod ln exp julianday unixepoch char_length octet_length date_part row_number rank dense_rank".split(
    " ",
  ),
);
const ofFirst: ReadonlySet<string> = new Set(
  "min max coalesce ifnull nullif greatest least lag lead first_value last_value any_value".split(
    " ",
  ),
);
/** What an expression's values are, where its words or the catalog say so. */
export function valueKind(
  value: unknown,
  scope: NameScope,
  places: SyntaxPlaces,
): ValueKind | undefined {
  const of = (part: unknown): ValueKind | undefined => valueKind(part, scope, places);
  const { tag = "", content } = variantOf(value) ?? {};
  const node = nodeOf(content);
  const called = tag === "Function" ? places.path(listOf(node, "name")).at(-1)?.value : tag;
  const name = called?.toLowerCase() ?? "";
  if (textCalls.has(name)) return "text";
  if (numberCalls.has(name)) return "number";
  switch (tag) {
    case "Identifier":
    case "CompoundIdentifier": {
      const path = places.column(value);
      const found = findColumn(scope, path.at(-2)?.value, path.at(-1)?.value ?? "");
      if (found === undefined || found === "several") return undefined;
      const { columns = [] } = found.source.table?.resource ?? {};
      const type = columns.find(({ name }) => name === found.column)?.type;
      return type === undefined ? undefined : kindOfType[columnDataType(type).kind];
    }
    case "Value": {
      const literal = variantOf(node["value"])?.tag;
      if (literal === "Number") return "number";
      return literal === "SingleQuotedString" ? "literal" : undefined;
    }
    case "Nested":
      return of(content);
    case "UnaryOp":
      return of(node["expr"]);
    case "BinaryOp":
      if (node["op"] === "StringConcat") return "text";
      if (!/^(?:Plus|Minus|Multiply|Divide|Modulo)$/.test(String(node["op"]))) return undefined;
      return [node["left"], node["right"]].every((each) => of(each) === "number")
        ? "number"
        : undefined;
    case "Cast": {
      const type = node["data_type"];
      const name = typeof type === "string" ? type : (Object.keys(nodeOf(type))[0] ?? "");
      if (/^(?:Text|Varchar|CharacterVarying|String)$/.test(name)) return "text";
      return /Int|Real|Numeric|Dec|Double|Float/.test(name) && name !== "Interval"
        ? "number"
        : undefined;
    }
    case "Case":
      return of(nodeOf(listOf(node, "conditions")[0])["result"]);
    case "Function": {
      const first = nodeOf(listOf(node, "args", "List", "args")[0], "Unnamed")["Expr"];
      return ofFirst.has(name) ? of(first) : undefined;
    }
    default:
      return undefined;
  }
}
