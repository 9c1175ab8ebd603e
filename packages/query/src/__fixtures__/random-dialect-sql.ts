import fc from "fast-check";

/**
 * A capital letter stands for an expression: I integer, R float, N decimal, F fraction, T text, B
 * condition, D date, S timestamp.
 */
type Grammar = Readonly<Record<string, readonly string[]>>;

const shared: Grammar = {
  I: [
    ..."a b a b id 0 1 -3 7".split(" "),
    ...["I + I", "I - I", "I * I", "I / I", "I % I", "-(I)", "abs(I)", "length(T)", "coalesce(I, I)"],
    ...["nullif(I, I)", "case when B then I else I end", "case I when I then I end", "cast(R as integer)"],
  ],
  R: [
    ..."x y x y".split(" "),
    ...["R + R", "R - R", "R * R", "R / R", "R / I", "I * R", "abs(R)", "round(R)", "floor(R)", "ceil(R)", "sqrt(R)"],
    ...["coalesce(R, R)", "case when B then R else R end", "nullif(R, R)", "power(R, 2)", "power(R, I)", "power(I, I)", "pow(R, 0.5)", "ln(R)", "exp(R)"],
  ],
  T: [
    ..."s t s t 'b' 'aB' '%' '' '_x'".split(" "),
    ...["T || T", "upper(T)", "lower(T)", "substr(T, I)", "substr(T, I, I)", "replace(T, T, T)", "trim(T)", "ltrim(T)"],
    ...["rtrim(T, T)", "coalesce(T, T)", "nullif(T, T)", "case when B then T else T end", "cast(I as text)"],
    ...["substring(T, I, I)", "trim(T, T)"],
  ],
  B: [
    ...["I = I", "I <> I", "I < I", "R >= R", "R = I", "T = T", "T < T", "T >= T", "T like T", "T not like T", "I is null"],
    ...["T is not null", "I in (I, I)", "T in (T, T)", "I not in (1, I)", "I between I and I", "T between T and T", "not B"],
    ...["B and B", "B or B", "T is distinct from T", "T like '%a_'", "T like 'A%'", "T like '_' || T", "T like '%\\_%'"],
    ...["T like '%\\%' escape '\\'", "(I, T) = (I, T)", "(I, T) in (select a, s from q)", "(I, I) not in ((1, 0), (I, 2))", "exists (select 1 from q z where z.a = q.a and z.s like T)"],
  ],
  D: ["d"],
  S: ["ts"],
};

const postgres: Grammar = {
  I: [
    ...["strpos(T, T)", "position(T in T)", "ascii(T)", "greatest(I, I)", "least(I, I, I)", "mod(I, I)", "D - D"],
    ...["char_length(T)", "octet_length(T)", "extract(year from D)::int", "extract(dow from D)::int"],
    ...["extract(isodow from D)::int", "extract(week from S)::int", "date_part('hour', S)::int", "cast(B as integer)"],
    ...["avg(I) over ()::int", "(N / N)::int", "cast(round(F) as integer)", "(F)::integer", "(g / I)::integer", "(g % 4)::integer"],
    ...["T::integer", "(I::text)::int", "R::int", "N::int", "sign(I)::int", "gcd(I, I)", "extract(quarter from D)::int"],
  ],
  // Divisions and roundings that give a numeric which no column can hold.
  F: [
    ...["avg(I) over ()", "sum(g) over () / I", "sum(g) over (order by id) / 4", "N / N", "1.0 * I / 2", "I / 2.0", "round(F)"],
    ...["extract(month from D) / 4", "round(avg(D - date '2020-01-01') over ())", "avg(g) over (partition by a)", "coalesce(F, I)"],
    ...["(select sum(z.g) from q z) / I", "case when B then F else I end", "abs(F)", "F * I", "greatest(F, I)", "g * 2.5"],
  ],
  R: ["N::float8", "greatest(R, R)", "trunc(R)", "extract(epoch from S)::float8", "cbrt(R)", "sign(R)", "mod(I, I) * R"],
  N: [
    ...["n", "n", "1.5", "2.50", "N + N", "N - N", "N * N", "N / N", "N % N", "round(N)", "round(N, 1)", "trunc(N)"],
    ...["ceil(N)", "floor(N)", "-(N)", "abs(N)", "N / I", "I * N", "cast(R as numeric(12,2))", "cast(I as numeric)"],
    ...["F", "F", "round(F)", "round(F, 2)"],
    ...["coalesce(N, 0)", "round(N, -1)", "trunc(N, 1)", "mod(N, N)", "n::numeric(6,1)"],
  ],
  T: [
    ...["left(T, I)", "right(T, I)", "lpad(T, I, T)", "rpad(T, I)", "split_part(T, 'a', I)", "reverse(T)", "initcap(T)"],
    ...["repeat(T, I % 5)", "translate(T, 'ab', 'x')", "concat(T, I, T)", "concat_ws('-', T, T)", "to_char(D, 'YYYY-MM')"],
    ...["to_char(S, 'DD.MM.YYYY HH24:MI:SS')", "substring(T from I)", "substring(T from I for I)", "trim(both T from T)"],
    ...["trim(leading 'a' from T)", "btrim(T, 'a ')", "D::text", "S::text", "N::text", "(B)::text", "greatest(T, T)", "md5(T)"],
    ...["regexp_replace(T, '[ab]', 'x')", "regexp_replace(T, '[ab]', 'x', 'g')"],
    ...["to_char(D, 'Mon YY')", "chr(65)", "T || I", "T::varchar(2)", "R::text", "(S - S)::text", "age(S, S)::text", "interval '1 year 2 months'::text"],
  ],
  B: [
    ...["T ilike T", "T ~ 'a.'", "T ~* '^B'", "T !~ '[0-9]$'", "D > D", "D between D and D", "S < D", "starts_with(T, T)"],
    ...["N > N", "N = I", "R > N", "b1", "b1 and B", "B is true", "B is not false", "D = '2024-02-29'", "I = '3'"],
    ...["T not ilike 'A%'", "T similar to '(a|b)%'", "I = any(array[I, 1])", "b1 = (B)", "B is not distinct from b1"],
  ],
  D: [
    ...["D + I % 50", "D - I % 50", "date '2024-01-31'", "date_trunc('month', D)::date", "(D + interval '1 month')::date"],
    ...["S::date", "coalesce(D, D)", "make_date(2024, 2, 28)", "greatest(D, D)", "to_date('2024-03-05', 'YYYY-MM-DD')"],
  ],
  S: [
    ...["date_trunc('hour', S)", "date_trunc('week', S)", "S + interval '90 minutes'", "S - interval '1 month 2 days'"],
    ...["D::timestamp", "date_trunc('quarter', D)::timestamp", "D + interval '1 day'", "date_trunc('year', S)"],
  ],
};

const sqlite: Grammar = {
  I: [
    ...["instr(T, T)", "unicode(T)", "max(I, I)", "min(I, I, I)", "cast(T as integer)", "sign(I)", "iif(B, I, I)"],
    ...["ifnull(I, I)", "R % I", "I % R", "(B) + I", "cast(strftime('%m', D) as integer)", "cast(julianday(D) as integer)"],
    ...["unixepoch(S)", "I / T", "I + T", "I | I", "I & I", "cast('12abc' as integer)"],
  ],
  R: ["julianday(S)", "cast(T as real)", "cast(I as real)", "round(R, 1)", "max(R, R)", "round(R, I)", "round(R, 2)", "R + T", "mod(R, R)"],
  N: ["R", "cast(T as numeric)"],
  T: [
    ...["printf('%d', I)", "printf('%.2f', R)", "printf('%.1e', R)", "printf('%.1f', 0 * R)", "cast(0 * R as text)", "printf('%s-%s', T, T)", "strftime('%Y-%m', D)", "D", "S", "char(65, 66)"],
    ...["date(D, '+1 month')", "date(S, 'start of month')", "datetime(S, '+90 minutes')", "time(S)", "hex(T)", "hex(s)"],
    ...["cast(R as text)", "ifnull(T, T)", "iif(B, T, T)", "T || I", "T || R", "typeof(I)", "typeof(R)", "strftime('%W', D)"],
    ...["date(D, 'weekday 1')", "strftime('%j-%w', S)", "max(T, T)", "date(D, '-1 year', '+2 days')", "substr(T, I, -2)"],
  ],
  B: ["I", "R", "I = T", "T = I", "T > I", "R = T", "D >= '2024-01-31'", "I = '3'", "T in (I, '7')"],
  D: ["date(D)", "date(S)", "substr(D, 1, 10)"],
  S: ["datetime(S)"],
};

const grammars: Record<"postgresql" | "sqlite", Grammar> = { postgresql: merged(shared, postgres), sqlite: merged(shared, sqlite) };

function merged(left: Grammar, right: Grammar): Grammar {
  const names = Object.keys({ ...left, ...right });
  return Object.fromEntries(names.map((name) => [name, [...(left[name] ?? []), ...(right[name] ?? [])]]));
}

/** Statements over the table `q` in one database's dialect. Every order is total. */
export function randomDialectSql(dialect: "postgresql" | "sqlite"): fc.Arbitrary<string> {
  const grammar = grammars[dialect];
  const filled = (template: string, depth: number): fc.Arbitrary<string> => {
    const pieces = template.split(/(?<![\w'])([IRNFTBDS])(?![\w'])/);
    const holes = pieces.map((piece, at) =>
      at % 2 === 0 ? fc.constant(piece) : expression(piece, depth - 1),
    );
    return fc.tuple(...holes).map((parts) => parts.join(""));
  };
  const expression = (type: string, depth: number): fc.Arbitrary<string> => {
    const templates = grammar[type] ?? [];
    const leaves = templates.filter((each) => !/(?<![\w'])[IRNFTBDS](?![\w'])/.test(each));
    const usable = depth > 0 ? templates : leaves;
    if (usable.length === 0) return fc.constant("a = 1");
    return fc
      .constantFrom(...usable)
      .chain((template) =>
        filled(template, depth).map((text) => (/^\w+$|^'[^']*'$|^\w+\([^()]*\)$/.test(text) ? text : `(${text})`)),
      );
  };
  const any = (depth: number): fc.Arbitrary<string> =>
    fc.constantFrom("I", "R", "N", "T", "D", "S").chain((type) => expression(type, depth));
  const direction = fc.constantFrom("", " asc", " desc");
  return fc
    .record({
      one: any(2),
      other: any(1),
      int: expression("I", 1),
      real: expression("R", 1),
      text: expression("T", 1),
      where: expression("B", 2),
      direction,
      limit: fc.constantFrom("", " limit 3", " limit 5 offset 2"),
      shape: fc.nat(7),
    })
    .map(({ one, other, int, real, text, where, direction: order, limit, shape }) => {
      const shapes = [
        `select id, ${one} as v from q order by ${other}${order}, id${limit}`,
        `select id, ${one} as v from q where ${where} order by id${order}${limit}`,
        `select id, ${one} as v, ${text} as w from q order by v${order}, id${limit}`,
        `select ${one} as k, count(*) as n, sum(${int}) as m, max(${text}) as w from q group by 1 order by 1${order}${limit}`,
        `select id, row_number() over (order by ${one}${order}, id) as n, lag(${int}) over (order by id) as v from q order by id`,
        `select distinct ${one} as v from q where ${where} order by 1${order}${limit}`,
        `select count(distinct ${one}) as n, sum(distinct ${int}) as m, sum(${int}) filter (where ${where}) as f, avg(${int}) as g, min(${text}) as w, sum(${int}) / count(*) as r, sum(${real}) / count(*) as e from q`,
        `with c as (select ${one} as v, ${int} as i, id from q) select c.id, c.v, z.id as o from c join q z on z.a = c.i order by c.v${order}, c.id, o${limit}`,
      ];
      return shapes[shape] ?? one;
    });
}
