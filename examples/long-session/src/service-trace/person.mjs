const firstNames = [
  "Mia",
  "Liam",
  "Noah",
  "Aarav",
  "Yara",
  "Chen",
  "Olivia",
  "Raj",
  "Sofia",
  "Ethan",
  "Amelia",
  "Mei",
];
const lastNames = [
  "Li",
  "Kovacs",
  "Patel",
  "Santos",
  "Garcia",
  "Nguyen",
  "Silva",
  "Moore",
  "Rossi",
  "Khan",
  "Johansson",
];
const streets = [
  "Hickory Lane",
  "Elm Avenue",
  "Cedar Street",
  "River Road",
  "Sunset Drive",
  "Highland Drive",
  "Park Avenue",
];
const cities = [
  ["Denver", "CO"],
  ["Austin", "TX"],
  ["Seattle", "WA"],
  ["Chicago", "IL"],
  ["Phoenix", "AZ"],
  ["Columbus", "OH"],
];

/** A fictional customer with address and payment methods. */
export function person(random) {
  const first = random.pick(firstNames);
  const last = random.pick(lastNames);
  const [city, state] = random.pick(cities);
  return {
    first,
    last,
    userId: `${first.toLowerCase()}_${last.toLowerCase()}_${random.digits(4)}`,
    email: `${first.toLowerCase()}.${last.toLowerCase()}${random.digits(4)}@example.com`,
    dob: `${random.int(1950, 2001)}-${pad(random.int(1, 12))}-${pad(random.int(1, 28))}`,
    address: {
      address1: `${random.int(100, 999)} ${random.pick(streets)}`,
      address2: `Suite ${random.int(100, 999)}`,
      city,
      country: "USA",
      state,
      zip: random.digits(5),
    },
    payments: Object.fromEntries(
      Array.from({ length: random.int(2, 4) }, () => {
        const kind = random.pick(["credit_card", "gift_card", "certificate", "credit_card"]);
        const id = `${kind}_${random.digits(7)}`;
        const rest =
          kind === "credit_card"
            ? { brand: random.pick(["visa", "mastercard"]), last_four: random.digits(4) }
            : { amount: random.int(40, 300) };
        return [id, { source: kind, ...rest, id }];
      }),
    ),
  };
}

/** Two digits. */
export const pad = (value) => String(value).padStart(2, "0");

/** A day of one month. */
export const date = (random) => `2024-05-${pad(random.int(10, 28))}`;
