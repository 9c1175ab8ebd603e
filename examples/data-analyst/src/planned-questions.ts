import type { Chart } from "./draw-chart.ts";

/** A question, what its plan may read, and the same query as hand-written SQL. */
export interface PlannedQuestion {
  task: string;
  /** Ids of resources. */
  from: readonly string[];
  /** Reads the tables, and `people`, `rates` and `eras`, which contain the rows of the API and the functions. */
  sql: string;
  /** The columns of the chart. */
  chart: Chart;
}

const table = (name: string): string => `res:db.sqlite.vega.${name}`;
const people = "res:api.census.people";
const rate = "res:skill.census.exchange_rate";
const eras = "res:skill.census.eras";

/** In the order of the recorded plans. */
export const plannedQuestions: readonly PlannedQuestion[] = [
  {
    task: "The 5 cities whose airports have the highest average delay of departing flights, among cities with at least 20 flights",
    from: [table("flights"), table("airports")],
    sql: "SELECT a.city AS city, avg(f.delay) AS delay, count(*) AS flights FROM flights f JOIN airports a ON f.origin = a.iata GROUP BY a.city HAVING count(*) >= 20 ORDER BY delay DESC, city LIMIT 5",
    chart: { label: "city", value: "delay", valueTitle: "average delay (minutes)" },
  },
  {
    task: "People by age group in the census of 2000",
    from: [people],
    sql: "SELECT age, sum(people) AS people FROM people WHERE year = 2000 GROUP BY age ORDER BY age",
    chart: { label: "age", value: "people", valueTitle: "people" },
  },
  {
    task: "Farmers for each thousand people, by census year",
    from: [table("us_jobs"), people],
    sql: "SELECT j.year AS year, 1000.0 * j.n / p.n AS per_thousand FROM (SELECT year, sum(count) AS n FROM us_jobs WHERE job = 'Farmer' GROUP BY year) j JOIN (SELECT year, sum(people) AS n FROM people GROUP BY year) p ON p.year = j.year ORDER BY year",
    chart: { label: "year", value: "per_thousand", valueTitle: "per 1,000 people" },
  },
  {
    task: "Worldwide gross of movies by genre in euros, the 5 highest",
    from: [table("movies"), rate],
    sql: "SELECT major_genre AS genre, sum(worldwide_gross) * (SELECT per_usd FROM rates WHERE currency = 'EUR') AS euros FROM movies WHERE major_genre IS NOT NULL GROUP BY major_genre ORDER BY euros DESC, genre LIMIT 5",
    chart: { label: "genre", value: "euros", valueTitle: "worldwide gross (euros)" },
  },
  {
    task: "Teachers for each thousand people by era, over the census years of the era",
    from: [table("us_jobs"), people, eras],
    sql: "SELECT e.era AS era, 1000.0 * sum(j.n) / sum(p.n) AS per_thousand FROM eras e JOIN (SELECT year, sum(count) AS n FROM us_jobs WHERE job = 'Teacher' GROUP BY year) j ON j.year = e.year JOIN (SELECT year, sum(people) AS n FROM people GROUP BY year) p ON p.year = e.year GROUP BY e.era ORDER BY per_thousand, era",
    chart: { label: "era", value: "per_thousand", valueTitle: "per 1,000 people" },
  },
];
