import { formatCents } from "./money.ts";
import { subtotal, total, type Order } from "./order.ts";

/** A receipt as plain text, one line an article. */
export function renderReceipt(order: Order): string {
  const lines = order.lines.map((line) => {
    const price = formatCents(line.quantity * line.unitPriceCents);
    return `${line.quantity} x ${line.sku}  ${price} ${order.currency}`;
  });
  const saved = subtotal(order) - total(order);
  if (saved > 0) lines.push(`Discount  -${formatCents(saved)} ${order.currency}`);
  lines.push(`Total  ${formatCents(total(order))} ${order.currency}`);
  return lines.join("\n");
}
