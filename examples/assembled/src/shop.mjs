// What an application would provide: the tables of its database, and its memory.
const table = (name, ...columns) => ({
  id: `res:shop.${name}`,
  kind: "tabular",
  title: name,
  columns: columns.map((column) => ({ name: column, type: "text" })),
});

export const tables = [
  table("orders", "id", "customer_id", "total_cents", "created_at"),
  table("customers", "id", "name", "city"),
  table("stock", "sku", "amount"),
  table("suppliers", "id", "name", "country"),
];

const rows = Array.from({ length: 3_000 }, (_, at) => `${at + 1},${(at % 90) + 1},${990 + at * 7}`);

/** A query whose result is far too large for the prompt. */
export const askedOrders = [
  ["tool_call", { callId: "c1", name: "query", arguments: '{"sql":"SELECT * FROM orders"}' }],
  ["tool_success", { callId: "c1", content: `id,customer_id,total_cents\n${rows.join("\n")}` }],
];
