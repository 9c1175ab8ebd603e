import type { AnalystQuestion } from "./music-questions.ts";

/** Questions over Northwind's tables. */
export const tradeQuestions: readonly AnalystQuestion[] = [
  {
    question: "What did each category bring after discounts?",
    sql: `select c.category_name, sum(d.unit_price * d.quantity * (1 - d.discount)) as revenue
from categories c join products p on p.category_id = c.category_id join order_details d on d.product_id = p.product_id
join orders o on o.order_id = d.order_id where o.shipped_date is not null group by c.category_name order by revenue desc`,
    condition: "where o.shipped_date is not null",
  },
  {
    question: "Which orders shipped more than four weeks after they came in?",
    sql: `select order_id, shipped_date - order_date as days from orders
where shipped_date > order_date + interval '28 days' and freight > 100`,
    condition: " and freight > 100",
  },
  {
    question: "Who is above whom, and how far down?",
    sql: `with recursive chain as (
  select employee_id, last_name, 0 as depth from employees where reports_to is null
  union all
  select e.employee_id, e.last_name, c.depth + 1 from employees e join chain c on e.reports_to = c.employee_id
)
select * from chain where depth > 0`,
    condition: " where depth > 0",
  },
  {
    question: "What share of all orders did each employee take in 2017?",
    sql: `select e.last_name, count(*) as orders, round(100.0 * count(*) / sum(count(*)) over (), 2) as share
from employees e join orders o using (employee_id)
where extract(year from o.order_date) = 2017 group by e.employee_id, e.last_name`,
    condition: "where extract(year from o.order_date) = 2017",
  },
  {
    question: "Which products cost more than the average of their category?",
    sql: `select p.product_name, p.unit_price from products p
where p.unit_price > (select avg(x.unit_price) from products x where x.category_id = p.category_id and x.unit_price < 4000)`,
    condition: " and x.unit_price < 4000",
  },
  {
    question: "Which countries have customers or suppliers, and how many of both?",
    sql: `select country, sum(customers) as customers, sum(suppliers) as suppliers from (
  select country, 1 as customers, 0 as suppliers from customers where region is null
  union all select country, 0, 1 from suppliers) both_sides group by country order by country`,
    condition: "where region is null",
  },
  {
    question: "What is the moving mean of freight over three orders of a customer?",
    sql: `select order_id, customer_id, avg(freight) over (partition by customer_id order by order_date, order_id
  rows between 2 preceding and current row) as moving from orders where ship_country in ('USA', 'Norway')`,
    condition: " where ship_country in ('USA', 'Norway')",
  },
  {
    question: "Into which quarter of the price list does each product fall?",
    sql: `select product_id, ntile(4) over (order by unit_price, product_id) as quarter,
  coalesce(units_in_stock, 0) * unit_price as stock_value, nullif(units_in_stock, 0) as stock
from products where discontinued = 0`,
    condition: "where discontinued = 0",
  },
  {
    question: "How many orders came in by month, and how many are still to be shipped?",
    sql: `select date_trunc('month', order_date)::date as month, count(*) as orders,
  sum(case when shipped_date is null then 1 else 0 end) as waiting, avg(freight) as freight
from orders where order_date between '2016-08-01' and '2017-07-31' group by 1 order by 1`,
    condition: "where order_date between '2016-08-01' and '2017-07-31'",
  },
  {
    question: "Which pairs of products are often ordered together?",
    sql: `select a.product_id as one, b.product_id as other, count(*) as times
from order_details a join order_details b on a.order_id = b.order_id and a.product_id < b.product_id
group by a.product_id, b.product_id having count(*) >= 3 and sum(a.quantity) > 150`,
    condition: " and sum(a.quantity) > 150",
  },
  {
    question: "Which customers, named like a street or with an accent, ordered in both years?",
    sql: `select upper(left(c.company_name, 3)) as short, c.customer_id from customers c
where (c.company_name ilike '%weg%' or c.company_name like 'O''%' or c.company_name like '50\\%%')
and c.customer_id in (select customer_id from orders where order_date < '2017-01-01'
  intersect select customer_id from orders where order_date >= '2018-01-01')`,
    condition: "\n  intersect select customer_id from orders where order_date >= '2018-01-01'",
  },
  {
    question: "Which products does each supplier sell, in one line?",
    sql: `select s.company_name, count(p.product_id) as products, string_agg(p.product_name, '; ' order by p.product_id) as names
from suppliers s left join products p on p.supplier_id = s.supplier_id and p.unit_price > 1000
group by s.supplier_id, s.company_name`,
    condition: " and p.unit_price > 1000",
  },
];
