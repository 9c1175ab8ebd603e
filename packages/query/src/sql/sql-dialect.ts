import type { RawBuilder } from "kysely";
import type { DataType } from "../plan/data-type.ts";
import type {
  PlanColumn,
  TypedAggregate,
  TypedCall,
  TypedCast,
  TypedLiteral,
} from "../plan/typed-plan.ts";

/** A piece of SQL with its parameters. */
export type Sql = RawBuilder<unknown>;

/** A call and its arguments as SQL. */
export interface SqlCall {
  call: TypedCall;
  parts: Sql[];
}

/** How one database says what a plan means. Every value has one form within its queries, the same from scan to output. */
export interface SqlDialect {
  /** How partners are looked for: SQLite reads the right side of `exists` once for each row, that of `in` once. */
  semiJoin: "exists" | "in";
  /** A stored column in the form that expressions work on; its type as the database spells it, or else the catalog. */
  scanned(column: PlanColumn, declaredType: string | undefined, stored: Sql): Sql;
  literal(literal: TypedLiteral): Sql;
  /** A text of which `lower` changes the letters of ASCII only; absent where `lower` means what it means in a plan. */
  asciiCased?(value: Sql): Sql;
  call(call: SqlCall): Sql;
  cast(cast: TypedCast, value: Sql): Sql;
  aggregate(aggregate: TypedAggregate, argument: Sql | undefined): Sql;
  /** What sorts and compares as the plan does: text by code points. */
  ordered(value: Sql, type: DataType): Sql;
  /** What is equal exactly where the values are. */
  equal(value: Sql, type: DataType): Sql;
  /** A value as the decoder expects it. */
  output(value: Sql, type: DataType): Sql;
}
