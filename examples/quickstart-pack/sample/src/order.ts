import { applyDiscount, type Discount } from "./discount.ts";
import { addCents, type Cents } from "./money.ts";

/** One article of an order. */
export interface OrderLine {
  sku: string;
  quantity: number;
  unitPriceCents: Cents;
}

/** What a customer ordered. */
export interface Order {
  id: string;
  currency: "EUR" | "USD";
  lines: OrderLine[];
  discount?: Discount;
}

/** The sum of all lines, before any discount. */
export function subtotal(order: Order): Cents {
  return order.lines.reduce((sum, line) => addCents(sum, line.quantity * line.unitPriceCents), 0);
}

/** What the customer pays. */
export function total(order: Order): Cents {
  const sum = subtotal(order);
  return order.discount === undefined ? sum : applyDiscount(sum, order.discount);
}
