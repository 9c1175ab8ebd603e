import fc from "fast-check";

const text = `"Größe'; drop table l; --"`;
const sources = fc.constantFrom(
  "select id, k as n from l",
  "select rid as id, rk as n from r",
  `select id, length(${text}) as n from l`,
  "select l.id, r.rk as n from l left join r on r.rk = l.k",
  "select l.id, r.rid as n from l join r on r.rid = l.id",
  "select id, (select max(rk) from r where rid <= id) as n from l",
  "select count(*) as id, max(k) as n from l",
  "select id, row_number() over (order by id) as n from l",
  "select id, n from (select id, sum(k) over (order by id) as n from l) s",
  "select coalesce(a.id, -1) as id, b.rk as n from l a full join r b on b.rid = a.id",
  "select id, k as n from l where exists (select 1 from r where rk = k)",
  "select id, k as n from l where k not in (select rk from r where rk is not null)",
  "select k as id, count(*) as n from l group by k having count(*) > 1",
  "select zzq_level as id, 1 as n from l",
  "select id, id as n from zzq_vault",
  "select id, zzq_level as n from l x",
  "select l.id, v.id as n from l join zzq_vault v on v.id = l.id",
  "select id, nosuch as n from l",
);

const wrap = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(inner, inner, fc.integer({ min: -2, max: 6 }), fc.nat(8))
    .map(([one, other, number, shape]) => {
      const shapes = [
        `select * from (${one}) a where id > ${number}`,
        `select * from (${one}) a where id > ${number} or 1 = 1`,
        `with c as (${one}) select id, n from c union all select n, id from c`,
        `${one} union all ${other}`,
        `select * from (${one}) a except select * from (${other}) b`,
        `select a.id, b.n from (${one}) a cross join (${other}) b where b.n is null or b.n < ${number}`,
        `select max(id) as id, count(distinct n) as n from (${one}) a`,
        `with c as (${one}), d as (${other}) select c.id, (select count(*) from d where d.id <= c.id) as n from c`,
        `select id, n from (${one}) a where id in (select n from (${other}) b)`,
      ];
      return shapes[shape] ?? one;
    });

/** Statements over the tables `l` and `r`. Some name a hidden or missing table or column. */
export const randomSql: fc.Arbitrary<string> = fc.oneof(sources, wrap(sources), wrap(wrap(sources)));
