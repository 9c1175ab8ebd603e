import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
} from "kysely";
import type { SortKey } from "../plan/logical-plan.ts";
import type {
  PlanColumn,
  TypedAggregateStep,
  TypedExpression,
  TypedJoin,
  TypedScan,
  TypedStep,
  TypedUnion,
} from "../plan/typed-plan.ts";
import { lowerComparison, lowerSql } from "./lower-comparison.ts";
import type { Sql, SqlDialect } from "./sql-dialect.ts";

/** What a fragment is compiled for. */
export interface CompileOptions {
  dialect: SqlDialect;
  /** The parameter syntax of the database: `$1` or `?`. */
  parameters: "numbered" | "question";
  /** The table of a resource, with the column names that the database uses. */
  tableOf(scan: TypedScan): Sql;
  /** The column types of a table as the database spells them. By default as the catalog does. */
  storedTypesOf?: ((scan: TypedScan) => ReadonlyMap<string, string>) | undefined;
  /** Existing rows under the name of a step. */
  inputs?: ReadonlyMap<string, { table: Sql; columns: readonly PlanColumn[] }> | undefined;
}

/** Rows within a query: their table, and the order that ORDER BY must still apply. */
interface Relation {
  table: Sql;
  /** The name of each column within the query. */
  aliases: ReadonlyMap<string, string>;
  columns: readonly PlanColumn[];
  order: readonly OrderKey[];
}

interface OrderKey extends Omit<SortKey, "column"> {
  alias: string;
  column: PlanColumn;
}

const databases = {
  numbered: new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new PostgresIntrospector(database),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
  question: new Kysely({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
};

/**
 * One SELECT for the steps: each a common table expression, with quoted names and literals as parameters. Its columns
 * are the requested ones, in order, as `dialect.output` returns them.
 */
export function compileFragment(
  fragment: { steps: readonly TypedStep[]; columns: readonly PlanColumn[] },
  options: CompileOptions,
): CompiledQuery<unknown> {
  const compiler = new FragmentCompiler(options);
  const select = compiler.compile(fragment.steps, fragment.columns);
  return select.compile(databases[options.parameters]);
}

class FragmentCompiler {
  readonly #options: CompileOptions;
  readonly #relations = new Map<string, Relation>();
  readonly #parts: Sql[] = [];

  constructor(options: CompileOptions) {
    this.#options = options;
    for (const [name, { table, columns }] of options.inputs ?? []) {
      this.#relations.set(name, { table, columns, aliases: inputAliases(columns), order: [] });
    }
  }

  compile(steps: readonly TypedStep[], columns: readonly PlanColumn[]): Sql {
    for (const step of steps.slice(0, -1)) this.#add(step);
    const last = steps.at(-1);
    const isLimit = last?.op === "limit";
    if (last !== undefined && !isLimit) this.#add(last);
    const result = this.#relation(isLimit ? last.from : (last?.name ?? ""));
    const { dialect } = this.#options;
    const values = columns.map(
      ({ name, type }, index) =>
        sql`${dialect.output(columnRef(result, name), type)} as ${sql.id(`o${index}`)}`,
    );
    const head = this.#parts.length === 0 ? sql`` : sql`with ${sql.join(this.#parts)} `;
    const tail = isLimit ? this.#limitClause(last.count, last.offset) : sql``;
    return sql`${head}select ${sql.join(values)} from ${result.table} as t${this.#orderClause(result)}${tail}`;
  }

  #relation(name: string): Relation {
    return (
      this.#relations.get(name) ?? {
        table: sql.id(name),
        aliases: new Map(),
        columns: [],
        order: [],
      }
    );
  }

  #add(step: TypedStep): void {
    switch (step.op) {
      case "scan":
        return this.#addScan(step);
      case "filter": {
        const from = this.#relation(step.from);
        return this.#pass(step, from, sql` where ${this.#value(from, step.where)}`);
      }
      case "project": {
        const from = this.#relation(step.from);
        return this.#define(step, {
          from,
          values: step.values.map((value) => this.#value(from, value)),
        });
      }
      case "join":
        return this.#addJoin(step);
      case "aggregate":
        return this.#addAggregate(step);
      case "sort": {
        const from = this.#relation(step.from);
        const order = step.by.flatMap(({ column: name, ...key }) => {
          const column = from.columns.find((candidate) => candidate.name === name);
          return column === undefined
            ? []
            : [{ ...key, column, alias: from.aliases.get(name) ?? name }];
        });
        this.#relations.set(step.name, { ...from, order: [...order, ...from.order] });
        return;
      }
      case "limit": {
        const from = this.#relation(step.from);
        return this.#pass(
          step,
          from,
          sql`${this.#orderClause(from)}${this.#limitClause(step.count, step.offset)}`,
        );
      }
      case "union":
        return this.#addUnion(step);
      case "distinct": {
        const from = this.#relation(step.from);
        const keys = from.columns.map((column) =>
          this.#options.dialect.equal(columnRef(from, column.name), column.type),
        );
        return this.#pass(step, { ...from, order: [] }, sql` group by ${sql.join(keys)}`);
      }
    }
  }

  /** Selects all columns of a relation, and those that its order needs, with a clause. */
  #pass(step: TypedStep, from: Relation, clause: Sql): void {
    const values = from.columns.map((column) => columnRef(from, column.name));
    this.#define(step, { from, values, clause });
  }

  #define(
    step: TypedStep,
    {
      from,
      values,
      clause = sql``,
    }: { from: Relation; values: readonly Sql[]; clause?: Sql | undefined },
  ): void {
    const aliases = aliasesOf(step.columns);
    const named = values.map(
      (value, index) =>
        sql`${value} as ${sql.id(aliases.get(step.columns[index]?.name ?? "") ?? "c")}`,
    );
    const order = from.order.map((key, index) => ({ ...key, alias: `~${index}` }));
    const kept = from.order.map(
      (key, index) => sql`t.${sql.id(key.alias)} as ${sql.id(`~${index}`)}`,
    );
    this.#set(step, {
      body: sql`select ${sql.join([...named, ...kept])} from ${from.table} as t${clause}`,
      aliases,
      order,
    });
  }

  #set(
    step: TypedStep,
    {
      body,
      aliases,
      order = [],
    }: { body: Sql; order?: readonly OrderKey[] | undefined } & Pick<Relation, "aliases">,
  ): void {
    // A prefix that no table has, since a CTE with a step's name would hide a table of that name.
    const name = sql.id(`ccl~${this.#relations.size}`);
    this.#parts.push(sql`${name} as (${body})`);
    this.#relations.set(step.name, { table: name, columns: step.columns, order, aliases });
  }

  #addScan(step: TypedScan): void {
    const { dialect, tableOf, storedTypesOf } = this.#options;
    const storedTypes = storedTypesOf?.(step);
    const aliases = aliasesOf(step.columns);
    const values = step.columns.map((column, index) => {
      const declared = storedTypes ? storedTypes.get(column.name) : step.declaredTypes[index];
      const value = dialect.scanned(column, declared, sql`t.${sql.id(column.name)}`);
      return sql`${value} as ${sql.id(aliases.get(column.name) ?? "c")}`;
    });
    this.#set(step, { body: sql`select ${sql.join(values)} from ${tableOf(step)} as t`, aliases });
  }

  #addJoin(step: TypedJoin): void {
    const { dialect } = this.#options;
    const left = this.#relation(step.left);
    const right = this.#relation(step.right);
    const keys = step.on.map((key) => ({
      left: dialect.equal(this.#value(left, key.left, "l"), key.left.type),
      right: dialect.equal(this.#value(right, key.right, "r"), key.right.type),
    }));
    const on = sql.join(
      keys.map((key) => sql`${key.left} = ${key.right}`),
      sql` and `,
    );
    const aliases = aliasesOf(step.columns);
    const values = step.columns.map((column, index) => {
      const own =
        index < step.leftCount
          ? columnRef(left, column.name, "l")
          : columnRef(right, right.columns[index - step.leftCount]?.name ?? "", "r");
      return sql`${own} as ${sql.id(aliases.get(column.name) ?? "c")}`;
    });
    const head = sql`select ${sql.join(values)} from ${left.table} as l`;
    if (step.kind === "semi" || step.kind === "anti") {
      const partners = sql`from ${right.table} as r`;
      const has =
        dialect.semiJoin === "exists"
          ? sql`exists (select 1 ${partners} where ${on})`
          : sql`((${sql.join(keys.map((key) => key.left))}) in (select ${sql.join(keys.map((key) => key.right))} ${partners}))`;
      // A null has no partner, and `in` is null for it.
      this.#set(step, {
        body: sql`${head} where ${has}${step.kind === "anti" ? sql` is not true` : sql``}`,
        aliases,
      });
      return;
    }
    const join = sql.raw(step.kind === "left" ? "left join" : "inner join");
    this.#set(step, { body: sql`${head} ${join} ${right.table} as r on ${on}`, aliases });
  }

  /** Computes keys before GROUP BY, since PostgreSQL sees two parameters of one value as different expressions. */
  #addAggregate(step: TypedAggregateStep): void {
    const { dialect } = this.#options;
    const from = this.#relation(step.from);
    const aliases = aliasesOf(step.columns);
    const keys = step.by.map(
      (key, index) => sql`${this.#value(from, key)} as ${sql.id(`k${index}`)}`,
    );
    const args = step.aggregates.map(({ argument }, index) =>
      argument === undefined
        ? undefined
        : sql`${this.#value(from, argument)} as ${sql.id(`a${index}`)}`,
    );
    const inner = [...keys, ...args.filter((arg) => arg !== undefined)];
    const columns = inner.length === 0 ? [sql`1 as ${sql.id("a")}`] : inner;
    const rows = sql`select ${sql.join(columns)} from ${from.table} as t`;
    const results = [
      ...step.by.map((_, index) => sql`g.${sql.id(`k${index}`)}`),
      ...step.aggregates.map((aggregate, index) => {
        const value = sql`g.${sql.id(`a${index}`)}`;
        return dialect.aggregate(aggregate, aggregate.argument && value);
      }),
    ];
    const named = results.map(
      (value, index) =>
        sql`${value} as ${sql.id(aliases.get(step.columns[index]?.name ?? "") ?? "c")}`,
    );
    const groups = step.by.map((by, index) =>
      dialect.equal(sql`g.${sql.id(`k${index}`)}`, by.type),
    );
    const clause = groups.length === 0 ? sql`` : sql` group by ${sql.join(groups)}`;
    this.#set(step, { body: sql`select ${sql.join(named)} from (${rows}) as g${clause}`, aliases });
  }

  #addUnion(step: TypedUnion): void {
    const aliases = aliasesOf(step.columns);
    const selects = step.from.map((name, at) => {
      const from = this.#relation(name);
      const values = (step.values[at] ?? []).map(
        (value, index) =>
          sql`${this.#value(from, value)} as ${sql.id(aliases.get(step.columns[index]?.name ?? "") ?? "c")}`,
      );
      return sql`select ${sql.join(values)} from ${from.table} as t`;
    });
    this.#set(step, { body: sql.join(selects, sql` union all `), aliases });
  }

  #orderClause({ order }: Relation): Sql {
    if (order.length === 0) return sql``;
    const keys = order.map(({ alias, column, direction, nulls }) => {
      const value = this.#options.dialect.ordered(sql`t.${sql.id(alias)}`, column.type);
      return sql`${value} ${sql.raw(direction)} nulls ${sql.raw(nulls)}`;
    });
    return sql` order by ${sql.join(keys)}`;
  }

  #limitClause(count: number, offset: number): Sql {
    const bound = (value: number): Sql =>
      this.#options.dialect.literal({
        op: "literal",
        value,
        type: { kind: "int" },
        isNullable: false,
      });
    return offset === 0
      ? sql` limit ${bound(count)}`
      : sql` limit ${bound(count)} offset ${bound(offset)}`;
  }

  #value(from: Relation, expression: TypedExpression, table = "t"): Sql {
    const { dialect } = this.#options;
    const { asciiCased } = dialect;
    const compared = asciiCased && lowerComparison(expression);
    const write = (part: TypedExpression): Sql => {
      const [value] = part === compared?.lower ? compared.lower.arguments : [];
      if (asciiCased === undefined || compared === undefined || value === undefined)
        return this.#value(from, part, table);
      return lowerSql(compared, asciiCased(this.#value(from, value, table)));
    };
    switch (expression.op) {
      case "column":
        return columnRef(from, expression.name, table);
      case "literal":
        return dialect.literal(expression);
      case "call":
        return dialect.call({ call: expression, parts: expression.arguments.map(write) });
      case "cast":
        return dialect.cast(expression, write(expression.value));
      case "in":
        return sql`(${dialect.equal(write(expression.value), expression.value.type)} in (${sql.join(expression.list.map(write))}))`;
      case "case": {
        const branches = expression.branches.map(
          ({ when, value }) => sql` when ${write(when)} then ${write(value)}`,
        );
        const otherwise =
          expression.otherwise === undefined ? sql`` : sql` else ${write(expression.otherwise)}`;
        return sql`(case${sql.join(branches, sql``)}${otherwise} end)`;
      }
    }
  }
}

function columnRef({ aliases }: Relation, name: string, table = "t"): Sql {
  return sql`${sql.raw(table)}.${sql.id(aliases.get(name) ?? name)}`;
}

/** Plain names stay readable. Others get a number, since databases cut long names and fold case. */
function aliasesOf(columns: readonly PlanColumn[]): ReadonlyMap<string, string> {
  return new Map(
    columns.map(({ name }, index) => [
      name,
      /^[a-z][a-z0-9_]{0,40}$/.test(name) ? name : `~c${index}`,
    ]),
  );
}

/** The column names that an engine gives to loaded rows. */
export function inputAliases(columns: readonly PlanColumn[]): ReadonlyMap<string, string> {
  return new Map(columns.map(({ name }, index) => [name, `c${index}`]));
}
