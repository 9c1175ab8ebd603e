import { roundCents, type Cents } from "./money.ts";

/** A share of the sum, or an amount. */
export type Discount = { type: "share"; share: number } | { type: "amount"; amountCents: Cents };

/** Never below zero. */
export function applyDiscount(sum: Cents, discount: Discount): Cents {
  const reduced =
    discount.type === "share" ? sum * (1 - discount.share) : sum - discount.amountCents;
  return Math.max(0, roundCents(reduced));
}
