/** A question that an analyst asks, as PostgreSQL's SQL. */
export interface AnalystQuestion {
  question: string;
  sql: string;
  /** A part of `sql`. The answer is different without it. */
  condition: string;
}

/** Questions over Chinook's tables. */
export const musicQuestions: readonly AnalystQuestion[] = [
  {
    question: "Which ten artists sold most, counting tracks longer than four minutes?",
    sql: `select ar.name as artist, sum(il.unit_price * il.quantity) as revenue, count(*) as lines
from artist ar join album al on al.artist_id = ar.artist_id join track t on t.album_id = al.album_id
join invoice_line il on il.track_id = t.track_id
where t.milliseconds > 240000 and t.genre_id < 9 group by ar.artist_id, ar.name order by revenue desc, lines desc, ar.artist_id limit 10`,
    condition: " and t.genre_id < 9",
  },
  {
    question: "In which countries did more than 40 invoices bring more than 3 each on average?",
    sql: `select billing_country, count(*) as invoices, avg(total) as mean from invoice
where billing_country is not null group by billing_country having count(*) > 40 and avg(total) > 3`,
    condition: "where billing_country is not null",
  },
  {
    question: "What is the best-selling genre of each country?",
    sql: `with sold as (
  select c.country, g.name as genre, sum(il.quantity) as pieces
  from invoice_line il join invoice i on i.invoice_id = il.invoice_id join customer c on c.customer_id = i.customer_id
  join track t on t.track_id = il.track_id join genre g on g.genre_id = t.genre_id
  where i.total > 1 group by c.country, g.name
), ranked as (
  select country, genre, pieces, rank() over (partition by country order by pieces desc) as place from sold
)
select country, genre, pieces from ranked where place = 1`,
    condition: "where i.total > 1 ",
  },
  {
    question: "How did revenue grow by month, and what had come in until then?",
    sql: `with monthly as (
  select extract(year from invoice_date) as year, extract(month from invoice_date) as month, sum(total) as revenue
  from invoice where total > 0.99 group by 1, 2
)
select year, month, revenue, sum(revenue) over (order by year, month) as so_far,
  revenue - lag(revenue) over (order by year, month) as change
from monthly order by year, month`,
    condition: "where total > 0.99",
  },
  {
    question: "Which customers never bought anything?",
    sql: `select c.customer_id, c.first_name || ' ' || c.last_name as name from customer c
where not exists (select 1 from invoice i where i.customer_id = c.customer_id and i.total > 5)`,
    condition: " and i.total > 5",
  },
  {
    question: "How do tracks split by length?",
    sql: `select case when milliseconds < 180000 then 'short' when milliseconds < 1800000 then 'song' else 'show' end as kind,
  count(*) as tracks, min(milliseconds) as shortest, max(bytes) as largest, count(composer) as with_composer
from track where unit_price < 1 group by 1`,
    condition: "where unit_price < 1",
  },
  {
    question: "What are the domains of the customers' addresses?",
    sql: `select lower(substring(email from position('@' in email) + 1)) as domain, count(*) as customers
from customer where company is null group by 1 order by 2 desc, 1`,
    condition: "where company is null",
  },
  {
    question: "Which three invoices of each customer were the largest?",
    sql: `select customer_id, invoice_id, total from (
  select customer_id, invoice_id, total, row_number() over (partition by customer_id order by total desc, invoice_id) as n
  from invoice where invoice_date >= date '2022-01-01') best where n <= 3`,
    condition: "where invoice_date >= date '2022-01-01'",
  },
  {
    question: "Which genres have albums but no sales of several pieces?",
    sql: `select genre_id from track except
select t.genre_id from track t join invoice_line il on il.track_id = t.track_id where il.quantity > 1 and t.genre_id % 3 = 0`,
    condition: " and t.genre_id % 3 = 0",
  },
  {
    question: "What are the median and the ninth decile of invoices by country?",
    sql: `select coalesce(billing_country, 'unknown') as country,
  percentile_cont(0.5) within group (order by total) as median, percentile_cont(0.9) within group (order by total) as p90
from invoice where total < 13 group by 1`,
    condition: "where total < 13",
  },
  {
    question: "Which composers, apart from unknown ones, wrote at least two tracks, and on how many albums?",
    sql: `select composer, count(*) as tracks, count(distinct album_id) as albums from track
where composer is not null group by composer having count(*) >= 2`,
    condition: "where composer is not null",
  },
  {
    question: "How much did each agent's customers spend, by company or private?",
    sql: `select coalesce(c.support_rep_id, 0) as agent, sum(i.total) filter (where c.company is null) as private,
  sum(i.total) filter (where c.company is not null) as business, sum(i.total) as altogether
from customer c left join invoice i on i.customer_id = c.customer_id and i.total < 9 group by 1`,
    condition: " and i.total < 9",
  },
  {
    question: "How many days passed between a customer's first and last invoice?",
    sql: `select customer_id, max(invoice_date) - min(invoice_date) as days from invoice
where total <> 0.99 group by customer_id having count(*) > 1`,
    condition: "where total <> 0.99",
  },
];
