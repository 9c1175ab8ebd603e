type Cell = string | number | null;

/** A table with invented rows. */
export interface ShopTable {
  name: string;
  columns: readonly (readonly [name: string, type: string])[];
  rows: readonly (readonly Cell[])[];
}

/**
 * Tables with the names, columns and about the sizes of the sample databases Chinook (music) and
 * Northwind (trade). Rows are generated from a seed.
 */
export function twoShops(seed: number): ShopTable[] {
  const draw = drawer(seed);
  return [...musicShop(draw), ...trader(draw)];
}

interface Drawer {
  whole(below: number): number;
  one<T>(list: readonly T[]): T;
  /** Null in one of six draws. */
  maybe<T>(value: T): T | null;
}

function drawer(seed: number): Drawer {
  let state = seed;
  const whole = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return {
    whole,
    one: (list) => {
      const [found] = list.slice(whole(list.length));
      if (found === undefined) throw new Error("Nothing to draw from.");
      return found;
    },
    maybe: (value) => (whole(6) === 0 ? null : value),
  };
}

const dayAfter = (first: string, days: number): string =>
  new Date(Date.parse(first) + days * 86_400_000).toISOString().slice(0, 10);
const ids = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
const countries = ["USA", "Canada", "Brazil", "Germany", "France", "Czech Republic", "Norway"];
const words = ["Blue", "naïve", "O'Neil", "Road", "Été", "50% off", "night, long", "the", "Ölweg"];

function table(
  name: string,
  columns: string,
  rows: readonly (readonly Cell[])[],
): ShopTable {
  const pairs = columns.split(", ").map((column): [string, string] => {
    const at = column.indexOf(" ");
    return [column.slice(0, at), column.slice(at + 1)];
  });
  return { name, columns: pairs, rows };
}

function musicShop({ whole, one, maybe }: Drawer): ShopTable[] {
  const phrase = (): string => `${one(words)} ${one(words)} ${whole(90)}`;
  const price = (): number => one([0.99, 0.99, 1.99]);
  return [
    table("artist", "artist_id integer, name text", ids(275).map((id) => [id, phrase()])),
    table(
      "album",
      "album_id integer, title text, artist_id integer",
      ids(347).map((id) => [id, phrase(), 1 + whole(200)]),
    ),
    table("genre", "genre_id integer, name text", ids(25).map((id) => [id, `${one(words)} ${id}`])),
    table(
      "track",
      "track_id integer, name text, album_id integer, genre_id integer, composer text, milliseconds integer, bytes bigint, unit_price numeric(10,2)",
      ids(3_503).map((id) => [
        id,
        phrase(),
        1 + whole(347),
        1 + whole(22),
        maybe(phrase()),
        1_000 + whole(5_000_000),
        38_747 + whole(1_059_546_140),
        price(),
      ]),
    ),
    table(
      "customer",
      "customer_id integer, first_name text, last_name text, company text, country text, email text, support_rep_id integer",
      ids(59).map((id) => [
        id,
        one(words),
        phrase(),
        maybe(one(words)),
        one(countries),
        `C${id}@${one(["mail", "Post", "web"])}.example`,
        maybe(3 + whole(3)),
      ]),
    ),
    table(
      "invoice",
      "invoice_id integer, customer_id integer, invoice_date date, billing_country text, total numeric(10,2)",
      ids(412).map((id) => [
        id,
        1 + whole(55),
        dayAfter("2021-01-01", id * 4 + whole(4)),
        maybe(one(countries)),
        one([0.99, 1.98, 3.96, 5.94, 8.91, 13.86]),
      ]),
    ),
    table(
      "invoice_line",
      "invoice_line_id integer, invoice_id integer, track_id integer, unit_price numeric(10,2), quantity integer",
      ids(2_240).map((id) => [id, 1 + whole(412), 1 + whole(3_503), price(), 1 + whole(3)]),
    ),
  ];
}

function trader({ whole, one, maybe }: Drawer): ShopTable[] {
  return [
    table(
      "categories",
      "category_id integer, category_name text",
      ids(8).map((id) => [id, `${one(words)} ${id}`]),
    ),
    table(
      "suppliers",
      "supplier_id integer, company_name text, country text",
      ids(29).map((id) => [id, `${one(words)} Ltd. ${id}`, one(countries)]),
    ),
    table(
      "products",
      "product_id integer, product_name text, supplier_id integer, category_id integer, unit_price double precision, units_in_stock integer, discontinued integer",
      ids(77).map((id) => [
        id,
        `${one(words)} ${id}`,
        1 + whole(29),
        1 + whole(8),
        whole(20_000) / 4,
        maybe(whole(125)),
        whole(10) === 0 ? 1 : 0,
      ]),
    ),
    table(
      "employees",
      "employee_id integer, last_name text, reports_to integer, hire_date date",
      ids(9).map((id) => [id, `${one(words)}${id}`, id === 2 ? null : one([2, 2, 5]), dayAfter("2012-04-01", id * 77)]),
    ),
    table(
      "customers",
      "customer_id text, company_name text, region text, country text",
      ids(91).map((id) => [`C${String(id).padStart(4, "0")}`, `${one(words)} ${id}`, maybe(one(["BC", "SP", "OR"])), one(countries)]),
    ),
    table(
      "orders",
      "order_id integer, customer_id text, employee_id integer, order_date date, shipped_date date, freight double precision, ship_country text",
      ids(830).map((id) => {
        const ordered = dayAfter("2016-07-04", Math.floor(id / 1.3) + whole(3));
        return [
          10_247 + id,
          `C${String(1 + whole(89)).padStart(4, "0")}`,
          1 + whole(9),
          ordered,
          maybe(dayAfter(ordered, 1 + whole(35))),
          whole(80_000) / 64,
          one(countries),
        ];
      }),
    ),
    table(
      "order_details",
      "order_id integer, product_id integer, unit_price double precision, quantity integer, discount double precision",
      ids(2_155).map(() => [10_248 + whole(830), 1 + whole(77), whole(20_000) / 4, 1 + whole(120), one([0, 0, 0.125, 0.25])]),
    ),
  ];
}
