import type { ResourceDetails } from "@ccl/catalog";
import type { MemoryRows } from "../connector/create-memory-connector.ts";

/** Prefix of the addresses of the kit's resources. */
export const sampleAddress = "ada://conformance/db/main";

/** A resource and the rows that a connector must return for it. */
interface SampleResource {
  details: ResourceDetails;
  table: string;
  rows: MemoryRows;
}

/** Column values of `ccl_orders`, in the card's column order. */
const orders = [
  [1, 1, "10.50", 0.5, "a", true, "2026-01-31", "2026-01-01T10:00:00", "2026-01-01T23:30:00Z"],
  [2, 1, "-0.05", 2.5, "B", false, "2026-02-28", "2026-01-02T00:00:00", "2026-03-29T00:59:59Z"],
  [3, 2, "0.10", -2.5, "100%", null, null, null, null],
  [4, null, null, null, null, true, "2025-12-31", "2026-01-02T12:30:00", "2026-06-30T22:15:00Z"],
  [
    5,
    3,
    "99999999.99",
    0,
    "'; drop table ccl_orders; --",
    false,
    "2026-01-31",
    "2025-06-30T23:59:59",
    "2026-01-01T00:00:00Z",
  ],
  [
    6,
    9,
    "0.20",
    1.25,
    "\u{1F389} é",
    true,
    "2024-02-29",
    "2024-02-29T00:00:00",
    "2024-02-29T12:00:00Z",
  ],
  [7, 2, "10.50", 0.5, "A_b", true, "2026-01-31", "2026-01-01T10:00:00", "2026-01-01T23:30:00Z"],
] as const;

const orderColumns = [
  { name: "id", type: "int", nn: true, pk: true },
  { name: "customer", type: "int" },
  { name: "amount", type: "numeric(12,2)" },
  { name: "weight", type: "float" },
  { name: "note", type: "text" },
  { name: "paid", type: "bool" },
  { name: "due", type: "date" },
  { name: "placed", type: "timestamp" },
  { name: "seen", type: "timestamptz" },
];

/**
 * Resources that a connector under test must serve, with their rows as plan values. `columns` has the column
 * types.
 */
export const sampleResources: readonly [SampleResource, ...SampleResource[]] = [
  {
    table: "ccl_orders",
    details: {
      id: "res:ccl_orders",
      uri: `${sampleAddress}/ccl_orders`,
      kind: "tabular",
      title: "orders",
      columns: orderColumns,
    },
    rows: orders.map((values) =>
      Object.fromEntries(orderColumns.map(({ name }, index) => [name, values[index]])),
    ),
  },
  {
    table: "ccl_customers",
    details: {
      id: "res:ccl_customers",
      uri: `${sampleAddress}/ccl_customers`,
      kind: "tabular",
      title: "customers",
      columns: [
        { name: "key", type: "int", nn: true, pk: true },
        { name: "city", type: "text" },
      ],
    },
    rows: [
      { key: 1, city: "Ulm" },
      { key: 2, city: null },
      { key: 3, city: "Köln" },
      { key: 4, city: "Ulm" },
    ],
  },
];
