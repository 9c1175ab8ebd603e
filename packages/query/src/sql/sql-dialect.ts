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

/** How one database expresses plan semantics. Every value has one representation from scan to output. */
export interface SqlDialect {
  /** How semi-joins look for partners. SQLite reads the right side of `exists` once per row, that of `in` once. */
  semiJoin: "exists" | "in";
  /** A stored column as expressions use it. Its type is spelled as in the database, or else as in the catalog. */
  scanned(column: PlanColumn, declaredType: string | undefined, stored: Sql): Sql;
  literal(literal: TypedLiteral): Sql;
  /** A text for which `lower` changes only ASCII letters. Absent if the database's `lower` agrees with the plan's. */
  asciiCased?(value: Sql): Sql;
  call(call: SqlCall): Sql;
  cast(cast: TypedCast, value: Sql): Sql;
  aggregate(aggregate: TypedAggregate, argument: Sql | undefined): Sql;
  /** A value that sorts and compares as the plan does: text by code points. */
  ordered(value: Sql, type: DataType): Sql;
  /** A value that is equal exactly if the plan's values are. */
  equal(value: Sql, type: DataType): Sql;
  /** A value as the decoder expects it. */
  output(value: Sql, type: DataType): Sql;
}
