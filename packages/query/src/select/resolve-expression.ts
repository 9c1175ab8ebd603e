import { isAbsent, listOf, nodeOf, variantOf, type SyntaxNode } from "@ccl/sql/parse";
import { quoteIdentifier } from "@ccl/sql";
import { isRecord } from "@ccl/core/json";
import { isSlipOf, nearestHint, quotedName } from "../plan/nearest-name.ts";
import { findColumn, columnNames, visibleSources, type ValueKind } from "./name-scope.ts";
import { quoteText } from "../sql/print-expression.ts";
import { hint, wordsOf, type Place, type ReadQuery, type Resolution } from "./resolution.ts";
import {
  binaryOperators,
  expressionVariants,
  plainVariants,
  typeVariants,
} from "./sql-features.ts";
import { sqlFunctions, type SqlSpelling } from "./sql-functions.ts";
import { argumentsOf, isNumber, isWhole, typeKind, valueKind } from "./value-kind.ts";

const maxDepth = 1_000;

const comparisonSigns: ReadonlyMap<unknown, string> = new Map([
  ["Eq", "="],
  ["NotEq", "<>"],
  ["Lt", "<"],
  ["LtEq", "<="],
  ["Gt", ">"],
  ["GtEq", ">="],
]);

/** What to write instead of other databases' functions. */
const foreign: ReadonlyMap<string, string> = new Map([
  ["date_format", "to_char(x, 'YYYY-MM') or strftime('%Y-%m', x)"],
  ["curdate", "current_date"],
  ["getdate", "now()"],
  ["isnull", "coalesce(a, b) or x IS NULL"],
  ["nvl", "coalesce(a, b)"],
  ["charindex", "strpos(text, part) or instr(text, part)"],
  ["datename", "to_char(x, 'Month') or strftime('%m', x)"],
]);

/** Checks the names, functions, operators and types of expressions. */
export class ExpressionResolver {
  readonly #at: Resolution;
  readonly #readQuery: ReadQuery;
  #depth = 0;

  constructor(resolution: Resolution, readQuery: ReadQuery) {
    this.#at = resolution;
    this.#readQuery = readQuery;
  }

  /** Resolves everything within part of an expression. */
  parts(value: unknown, place: Place): void {
    if (Array.isArray(value)) {
      for (const each of value) this.parts(each, place);
      return;
    }
    if (!isRecord(value)) return;
    this.#depth += 1;
    if (this.#depth > maxDepth) {
      this.#at.refuse("The statement is too deep.", "limit_exceeded");
      this.#depth -= 1;
      return;
    }
    const found = variantOf(value);
    if (found !== undefined) this.#variant(found.tag, found.content, place);
    else
      for (const [name, member] of Object.entries(value)) {
        if (name === "data_type") this.#type(member);
        else if (name === "subquery")
          this.#readQuery(member, { common: place.common, outer: place.scope });
        else if (name !== "span" && !name.endsWith("_token")) this.parts(member, place);
      }
    this.#depth -= 1;
  }

  #variant(tag: string, content: unknown, place: Place): void {
    const databases = expressionVariants.get(tag);
    if (databases !== undefined) this.#at.only(...databases);
    switch (tag) {
      case "Identifier":
        return this.#column([content], place);
      case "CompoundIdentifier":
        return this.#column(listOf(content), place);
      case "Function":
        return this.#call(nodeOf(content), place);
      case "Subquery":
      case "Query":
        this.#readQuery(content, { common: place.common, outer: place.scope });
        return;
      case "BinaryOp":
        this.#operator(nodeOf(content)["op"]);
        break;
      case "Cast": {
        const { kind } = nodeOf(content);
        if (kind === "DoubleColon") this.#at.only("postgresql", "duckdb");
        else if (kind !== "Cast") this.#at.only("duckdb");
        break;
      }
      case "Collate":
        return this.#at.refuse("COLLATE is not supported; compare lower(a) = lower(b).");
      case "Substring":
        if (nodeOf(content)["special"] !== true) this.#at.only("postgresql", "duckdb");
        break;
      case "NamedWindow":
        return;
      case "Unnamed":
        if (typeof content === "string" && content !== "Wildcard")
          this.#at.refuse("An argument is not supported.");
        break;
    }
    if (databases === undefined && !plainVariants.has(tag))
      return this.#at.refuse(`${wordsOf(tag)} is not supported.`);
    this.parts(content, place);
    const node = nodeOf(content);
    this.#checkComparison(tag, node, place);
    this.#recordComparison(tag, node, place);
    this.#converted(tag, node, place);
  }

  /** DuckDB reads some PostgreSQL numerics as floats or integers, which it divides and rounds differently. */
  #converted(tag: string, node: SyntaxNode, place: Place): void {
    const { places, result } = this.#at;
    const kindOf = (part: unknown): ValueKind | undefined => valueKind(part, place, this.#at);
    const { left, right, op, expr } = node;
    if (tag === "BinaryOp" && op === "Divide") {
      const sides = [kindOf(left), kindOf(right)];
      const isExact = sides.some((kind) => isNumber(kind) && !isWhole(kind));
      const sign = isExact ? places.tokenAfter(left, "/") : undefined;
      if (sign !== undefined) result.postgresEdits.push({ ...sign, text: "* 1e0 /" });
      const areStored = [left, right].map((side) => this.#isStoredDecimal(side, place));
      if (sides.every((kind, at) => areStored[at] === true || isWhole(kind)))
        if (areStored.includes(true))
          this.#at.differs(
            "SQLite divides decimals without a fraction as whole numbers; write 1.0 * a / b",
            "sqlite",
          );
    }
    if (tag === "BinaryOp" && (op === "Plus" || op === "Minus")) {
      if (kindOf(left) === "date") this.#days(right, kindOf(right));
      if (kindOf(right) === "date") this.#days(left, kindOf(left));
    }
    // A date AT TIME ZONE is an instant in PostgreSQL but a wall-clock time in DuckDB.
    if (tag === "AtTimeZone" && kindOf(node["timestamp"]) === "date") {
      const start = places.column(node["timestamp"]).at(-1)?.end;
      if (start !== undefined) result.postgresEdits.push({ start, text: "::timestamptz" });
      else
        this.#at.differs("a computed date has a time zone; cast it to timestamptz", "postgresql");
    }
    const kind = tag === "Cast" ? typeKind(node["data_type"]) : undefined;
    const literal = nodeOf(expr, "Value", "value")["SingleQuotedString"];
    // PostgreSQL casts a literal even where nothing reads it.
    if (isWhole(kind) && typeof literal === "string" && !/^\s*[+-]?\d+\s*$/.test(literal))
      this.#at.differs(`${quoteText(literal).slice(0, 40)} is not a whole number`, "postgresql");
    if (tag === "Cast" && kindOf(expr) === "fraction") {
      const as = places.tokenAfter(expr, "as", "::");
      if (isWhole(kind) && as !== undefined) result.roundedCasts.add(as.start);
      if (kind === "text") this.#unfixed();
    }
    if (op === "StringConcat" && [left, right].some((side) => kindOf(side) === "fraction"))
      this.#unfixed();
  }

  /** DuckDB can add an INTEGER to a date but not a BIGINT, which every loaded whole-number column is. */
  #days(count: unknown, kind: ValueKind | undefined): void {
    const start = this.#at.places.column(count).at(-1)?.end;
    if (start !== undefined && isWhole(kind))
      this.#at.result.postgresEdits.push({ start, text: "::integer" });
  }

  /** True for a decimal column, or its sum, min or max. SQLite stores 50.00 as the integer 50. */
  #isStoredDecimal(value: unknown, place: Place): boolean {
    const call = nodeOf(value, "Function");
    const isTotal = /^(?:sum|min|max)$/.test(this.#at.places.calledName(call));
    const column = isTotal ? argumentsOf(call)[0] : value;
    const isColumn = this.#at.originOf(column, place) !== undefined;
    return isColumn && valueKind(column, place, this.#at) === "numeric";
  }

  #unfixed(): void {
    this.#at.differs(
      "an average or a quotient has no fixed digits; write round(x, 2)",
      "postgresql",
    );
  }

  /** Databases disagree on how text compares with numbers, and on rows with nulls. */
  #checkComparison(tag: string, node: SyntaxNode, place: Place): void {
    const { left, right, expr, list, low, high } = node;
    const isComparison =
      tag === "BinaryOp"
        ? comparisonSigns.has(node["op"])
        : /^(?:InList|InSubquery|Between)$/.test(tag);
    if (!isComparison) return;
    const sides = [left, right, expr, ...listOf(list), low, high].filter(
      (each) => each !== undefined,
    );
    if (sides.some((side) => variantOf(side)?.tag === "Tuple"))
      this.#at.differs("rows are compared; write a = b AND c = d instead of (a, c) = (b, d)");
    const kinds = sides.map((side) => valueKind(side, place, this.#at));
    if (sides.some(isCondition) && (kinds.includes("text") || kinds.includes("literal")))
      this.#at.differs("a string is compared with a condition; write 1 or 0", "sqlite");
    if (!kinds.some(isNumber)) return;
    const reason =
      "a string is compared with a number; write the number as 'text', or cast the string";
    if (kinds.includes("text")) this.#at.differs(reason);
    // SQLite reads a literal as a number only if it is compared with a column.
    const isComputed = sides.some(
      (side, at) => isNumber(kinds[at]) && this.#at.places.column(side).length === 0,
    );
    if (kinds.includes("literal") && isComputed) this.#at.differs(reason, "sqlite");
  }

  /** Records comparisons for the doubts about a result. */
  #recordComparison(tag: string, node: SyntaxNode, place: Place): void {
    const { left, right, expr, pattern, list, low, high, operand, op } = node;
    const sign = tag === "BinaryOp" ? comparisonSigns.get(op) : undefined;
    const [value, others, operator]: [unknown, readonly unknown[], string | undefined] =
      tag === "InList"
        ? [expr, listOf(list), "="]
        : tag === "Like"
          ? [expr, [pattern], "like"]
          : tag === "Case"
            ? [operand, listOf(node, "conditions").map((each) => nodeOf(each)["condition"]), "="]
            : tag === "Between"
              ? [expr, [low, high], "between"]
              : [left, [right], sign];
    const { comparisons, keyPairs } = this.#at.result;
    const query = tag === "InSubquery" ? nodeOf(node, "subquery") : undefined;
    if (query !== undefined || sign === "=") {
      const first = this.#at.originOf(expr ?? left, place);
      const second =
        query === undefined
          ? this.#at.originOf(right, place)
          : this.#at.outputs.get(query)?.[0]?.origin;
      if (first !== undefined && second !== undefined)
        keyPairs.push({ left: first, right: second });
    }
    if (operator === undefined) return;
    const called = nodeOf(value, "Function");
    const name = this.#at.places.calledName(called);
    const call = name === "lower" || name === "upper" ? name : undefined;
    const origin = this.#at.originOf(call === undefined ? value : argumentsOf(called)[0], place);
    const literals = others.flatMap(
      (each) => literalText(each) ?? this.#quotedText(each, place) ?? [],
    );
    if (origin === undefined || literals.length < others.length) return;
    const comparison = { ...origin, call, operator, literals };
    comparisons.push(comparison);
    this.#at.comparisonAt.set(node, comparison);
  }

  /**
   * Returns the text that SQLite reads from a double-quoted name that matches no column. Returns undefined for
   * other expressions.
   */
  #quotedText(value: unknown, { scope }: Place): string | undefined {
    const [name, ...others] = this.#at.places.column(value);
    if (this.#at.dialect !== "sqlite" || name?.quote !== '"' || others.length > 0) return undefined;
    return findColumn(scope, undefined, name.value) === undefined
      ? quoteText(name.value)
      : undefined;
  }

  #operator(operator: unknown): void {
    const databases = typeof operator === "string" ? binaryOperators.get(operator) : undefined;
    if (databases === undefined)
      return this.#at.refuse(
        operator === "PGExp"
          ? "The operator ^ is not supported; write power(a, b)."
          : `The operator ${wordsOf(JSON.stringify(operator))} is not supported.`,
      );
    this.#at.only(...databases);
  }

  #type(type: unknown): void {
    const { tag = String(type), content } = variantOf(type) ?? {};
    const custom = this.#at.places.path(listOf(listOf(content)[0]));
    const name = tag === "Custom" ? custom.map(({ value }) => value.toLowerCase()).join(".") : tag;
    const databases = typeVariants.get(name);
    if (databases === undefined)
      return this.#at.refuse(`Do not cast to ${wordsOf(name)}.`, "type_mismatch");
    this.#at.only(...databases);
  }

  #call(call: SyntaxNode, place: Place): void {
    const known = "name args over filter within_group null_treatment parameters uses_odbc_syntax";
    this.#at.onlyMembers(call, known.split(" "), "A call");
    const path = this.#at.places.path(listOf(call, "name"));
    const [name] = path;
    const key = name?.value.toLowerCase() ?? "";
    const databases = path.length === 1 ? sqlFunctions.get(key) : undefined;
    if (name === undefined || databases === undefined) {
      const wanted = path.map(({ value }) => value).join(".");
      const instead = foreign.get(key);
      const help =
        instead === undefined
          ? `.${nearestHint(wanted, sqlFunctions.keys())} Those of PostgreSQL, SQLite and DuckDB are taken.`
          : `: write ${instead}.`;
      return this.#at.refuse(
        `There is no function ${quotedName(wanted)}${help}`,
        "function_unknown",
      );
    }
    const args = argumentsOf(call);
    if (key === "generate_series" || key === "regexp_split_to_table")
      this.#at.differs(`${key} returns rows; write it in FROM`, "postgresql");
    const isScalar = (key === "max" || key === "min") && args.length > 1;
    if (isScalar && (this.#at.dialect ?? "sqlite") !== "sqlite")
      return this.#at.refuse(
        `${key} takes one value; write ${key === "max" ? "greatest" : "least"}(a, b).`,
        "function_unknown",
      );
    this.#at.only(...(isScalar ? (["sqlite"] as const) : (dialectsOf(key, args) ?? databases)));
    if (!isAbsent(call["within_group"])) this.#at.only("postgresql", "duckdb");
    const { start, end } = name;
    this.#at.result.functions.push({ name: key, arguments: args.length, start, end });
    for (const part of ["args", "over", "filter", "within_group"]) this.parts(call[part], place);
    if (!args.some((part) => valueKind(part, place, this.#at) === "fraction")) return;
    if (key === "round" && args.length === 1)
      this.#at.result.postgresEdits.push({ start, end, text: "round_numeric" });
    if (/^(?:concat|concat_ws|mod)$/.test(key)) this.#unfixed();
  }

  #column(values: readonly unknown[], { scope, results }: Place): void {
    const path = this.#at.places.path(values);
    const name = path.at(-1);
    if (name === undefined) return;
    const table = path.at(-2);
    const found = findColumn(scope, table?.value, name.value);
    if (found === "several")
      return this.#at.refuse(
        `${quotedName(name.value)} is in more than one of the tables; write table.${name.value}.`,
        "column_unknown",
      );
    if (found !== undefined) {
      // Quote the name and spell it as the table does, because a keyword in one database can be a name in another.
      if (found.use !== undefined)
        this.#at.result.edits.push({ ...name, text: quoteIdentifier(found.name) });
      else this.#at.requote(name);
      if (path.length === 3 && path[0] !== undefined && table !== undefined)
        this.#at.result.edits.push({ start: path[0].start, end: table.start, text: "" });
      if (table !== undefined) this.#at.requote(table);
      return;
    }
    if (table === undefined && results?.columns.has(name.value.toLowerCase()) === true) {
      this.#at.requote(name);
      return results.onUse();
    }
    const isQuoted = table === undefined && name.quote === '"';
    const asText = quoteText(name.value);
    // SQLite reads a quoted name that is not a column as text. A misspelled column must not become text.
    if (
      isQuoted &&
      this.#at.dialect === "sqlite" &&
      !columnNames(visibleSources(scope, undefined)).some((each) => isSlipOf(name.value, each))
    ) {
      this.#at.result.edits.push({ ...name, text: asText });
      return;
    }
    const sources = visibleSources(scope, table?.value);
    // The column may belong to a table that does not exist.
    if (sources.some(({ isUnknown }) => isUnknown)) return;
    const wanted = path.map(({ value }) => value).join(".");
    if (table !== undefined && sources.length === 0)
      return this.#at.unknownTable(path.slice(0, -1), scope);
    const names = columnNames(table === undefined ? sources : sources.slice(0, 1));
    this.#at.refuse(
      `There is no column ${quotedName(wanted)}${hint(name.value, names)}${isQuoted ? ` Write a string in single quotes: ${asText.slice(0, 80)}.` : ""}`,
      "column_unknown",
    );
  }
}

/** Returns a string or number literal as SQL, or undefined for other expressions. */
function literalText(value: unknown): string | undefined {
  const { SingleQuotedString: text, Number: number } = nodeOf(value, "Value", "value");
  const digits = listOf(number)[0];
  if (typeof text === "string") return quoteText(text);
  return typeof digits === "string" ? digits : undefined;
}

/** Returns the dialects of a function if only its arguments reveal them: `date(x, '+1 day')`, `strftime('%Y', x)`. */
function dialectsOf(name: string, args: readonly unknown[]): readonly SqlSpelling[] | undefined {
  const first = nodeOf(args[0], "Value", "value")["SingleQuotedString"];
  if (name === "date" && args.length !== 1) return ["sqlite"];
  if (name === "date" && first === "now") return ["sqlite", "postgresql"];
  if (name === "strftime") return first === undefined ? ["duckdb"] : ["sqlite"];
  return undefined;
}

/** True if the expression is a boolean, which SQLite computes as the number 1 or 0. */
function isCondition(expression: unknown): boolean {
  const { tag = "", content } = variantOf(expression) ?? {};
  if (tag === "Nested") return isCondition(content);
  const operator = String(nodeOf(content)["op"]);
  return (
    /^(?:Is\w+|InList|InSubquery|Between|I?Like|Exists)$/.test(tag) ||
    /^(?:Eq|NotEq|Lt|Gt|LtEq|GtEq|And|Or|Not|PGRegex\w+)$/.test(operator)
  );
}
