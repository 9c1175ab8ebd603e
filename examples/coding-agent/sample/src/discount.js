const PERCENT_BY_TIER = { none: 0, regular: 5, gold: 15 };

/** What a customer's tier takes off, in cents. */
export function discountOf(cents, tier) {
  const percent = PERCENT_BY_TIER[tier] ?? 0;
  return (cents * percent) / 100;
}
