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

/** The resources that a connector under test must serve, with plan values. `columns` holds the column types. */
export const sampleResources: readonly [SampleResource, ...SampleResource[]] = [
  {
    table: "ccl_orders",
    details: {
      id: "res:ccl_orders",
      uri: `${sampleAddress}/ccl_orders`,
      kind: "tabular",
      title: "orders",
      columns: [
        { name: "id", type: "int", nn: true, pk: true },
        { name: "customer", type: "int" },
        { name: "amount", type: "numeric(12,2)" },
        { name: "weight", type: "float" },
        { name: "note", type: "text" },
        { name: "paid", type: "bool" },
        { name: "due", type: "date" },
        { name: "placed", type: "timestamp" },
        { name: "seen", type: "timestamptz" },
      ],
    },
    rows: [
      {
        id: 1,
        customer: 1,
        amount: "10.50",
        weight: 0.5,
        note: "a",
        paid: true,
        due: "2026-01-31",
        placed: "2026-01-01T10:00:00",
        seen: "2026-01-01T23:30:00Z",
      },
      {
        id: 2,
        customer: 1,
        amount: "-0.05",
        weight: 2.5,
        note: "B",
        paid: false,
        due: "2026-02-28",
        placed: "2026-01-02T00:00:00",
        seen: "2026-03-29T00:59:59Z",
      },
      {
        id: 3,
        customer: 2,
        amount: "0.10",
        weight: -2.5,
        note: "100%",
        paid: null,
        due: null,
        placed: null,
        seen: null,
      },
      {
        id: 4,
        customer: null,
        amount: null,
        weight: null,
        note: null,
        paid: true,
        due: "2025-12-31",
        placed: "2026-01-02T12:30:00",
        seen: "2026-06-30T22:15:00Z",
      },
      {
        id: 5,
        customer: 3,
        amount: "99999999.99",
        weight: 0,
        note: "'; drop table ccl_orders; --",
        paid: false,
        due: "2026-01-31",
        placed: "2025-06-30T23:59:59",
        seen: "2026-01-01T00:00:00Z",
      },
      {
        id: 6,
        customer: 9,
        amount: "0.20",
        weight: 1.25,
        note: "\u{1F389} é",
        paid: true,
        due: "2024-02-29",
        placed: "2024-02-29T00:00:00",
        seen: "2024-02-29T12:00:00Z",
      },
      {
        id: 7,
        customer: 2,
        amount: "10.50",
        weight: 0.5,
        note: "A_b",
        paid: true,
        due: "2026-01-31",
        placed: "2026-01-01T10:00:00",
        seen: "2026-01-01T23:30:00Z",
      },
    ],
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
