import { recentOrders } from "./orders.mjs";

/** One line for each order. */
export async function orderReport(db) {
  const orders = await recentOrders(db);
  return orders.map(({ id, total_cents }) => `${id}: ${total_cents / 100}`).join("\n");
}
