import { typeName } from "../plan/data-type.ts";
import type { AggregateFunction, Expression } from "../plan/expression.ts";
import { operators } from "../plan/functions.ts";
import type { TypedExpression } from "../plan/typed-plan.ts";
import { renderName } from "../plan/reserved-words.ts";

/** An expression before or after the check. */
type AnyExpression = Expression | TypedExpression;
type Of<Op extends AnyExpression["op"]> = Extract<AnyExpression, { op: Op }>;

const primaryLevel = 8;
/** The text form of an expression. Parsing it gives the same tree. */
export function renderExpression(expression: AnyExpression): string {
  return write(expression, 0);
}

/** A value and its name, like `date(created_at) as day`. A column under its own name is written once. */
export function renderNamed({ name, value }: { name: string; value: AnyExpression }): string {
  const isOwn = value.op === "column" && value.name === name;
  return isOwn ? renderName(name) : `${renderExpression(value)} as ${renderName(name)}`;
}

/** An aggregate and its name, like `sum(amount) as revenue`. */
export function renderAggregate({
  name,
  function: applied,
  argument,
}: {
  name: string;
  function: AggregateFunction;
  argument?: AnyExpression | undefined;
}): string {
  return `${applied}(${argument === undefined ? "" : renderExpression(argument)}) as ${renderName(name)}`;
}

/** Adds brackets if an expression binds more loosely than its context requires. */
function write(expression: AnyExpression, level: number): string {
  const { text, own } = plain(expression);
  return own < level ? `(${text})` : text;
}

function plain(expression: AnyExpression): { text: string; own: number } {
  switch (expression.op) {
    case "column":
      return { text: renderName(expression.name), own: primaryLevel };
    case "literal":
      return { text: renderLiteral(expression), own: primaryLevel };
    case "cast": {
      const { value, type } = expression;
      const name = typeof type === "string" ? type : typeName(type);
      return { text: `cast(${write(value, 0)} as ${name})`, own: primaryLevel };
    }
    case "in":
      return {
        text: `${write(expression.value, 5)} in (${expression.list.map(renderLiteral).join(", ")})`,
        own: 4,
      };
    case "case": {
      const branches = expression.branches.map(
        ({ when, value }) => ` when ${write(when, 0)} then ${write(value, 0)}`,
      );
      const otherwise =
        expression.otherwise === undefined ? "" : ` else ${write(expression.otherwise, 0)}`;
      return { text: `case${branches.join("")}${otherwise} end`, own: primaryLevel };
    }
    case "call":
      return plainCall(expression);
  }
}

function plainCall({ function: name, arguments: parts }: Of<"call">): {
  text: string;
  own: number;
} {
  const [first, second, third] = parts;
  const operator = operators[name];
  if (operator !== undefined && first !== undefined)
    return { text: chain(parts, operator), own: operator.level };
  if (name === "not" && first !== undefined) return { text: `not ${write(first, 3)}`, own: 3 };
  if (name === "negate" && first !== undefined) {
    // In brackets, since a sign before a literal would belong to the number.
    const inner = write(first, 7);
    return { text: first.op === "literal" ? `-(${inner})` : `-${inner}`, own: 7 };
  }
  if (name === "is_null" && first !== undefined)
    return { text: `${write(first, 5)} is null`, own: 4 };
  if (name === "is_not_null" && first !== undefined)
    return { text: `${write(first, 5)} is not null`, own: 4 };
  if (name === "between" && first !== undefined && second !== undefined && third !== undefined) {
    return {
      text: `${write(first, 5)} between ${write(second, 5)} and ${write(third, 5)}`,
      own: 4,
    };
  }
  return { text: `${name}(${parts.map((part) => write(part, 0)).join(", ")})`, own: primaryLevel };
}

/** The left operand may bind as tightly as the operator, except in comparisons and in chains that form one call. */
function chain(
  parts: readonly AnyExpression[],
  { symbol, level }: { symbol: string; level: number },
): string {
  const isLeftAssociative = level >= 5 && symbol !== "||";
  return parts
    .map((part, index) => {
      const isSameCall = symbol !== "||" || !(part.op === "call" && part.function === "concat");
      const isLoose = index === 0 && (isLeftAssociative || (symbol === "||" && isSameCall));
      return write(part, isLoose ? level : level + 1);
    })
    .join(` ${symbol} `);
}

function renderLiteral({ type: given, value }: Of<"literal">): string {
  const text = String(value);
  if (value === null) return text;
  const type = typeof given === "string" ? given : given.kind;
  if (type === "text") return `'${text.replaceAll("'", "''")}'`;
  if (type === "date" || type === "timestamp" || type === "timestamptz") return `${type} '${text}'`;
  if (type === "float") return /e/.test(text) ? text : `${text}e0`;
  return text;
}
