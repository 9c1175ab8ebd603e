import { discountOf } from "./discount.js";
import { toCents } from "./money.js";

/** What an order costs, in cents. */
export function totalOf(order) {
  const cents = order.lines.reduce((sum, line) => sum + toCents(line.price) * line.count, 0);
  return cents - discountOf(cents, order.tier);
}
