import { CclError } from "../ccl-error.ts";

/** `budget_exceeded` carries a `TokenBreakdown` in `details`. */
export type TokenBudgetErrorCode = "budget_exceeded" | "invalid_budget";

/** The error that `TokenBudget` throws. */
export class TokenBudgetError extends CclError<TokenBudgetErrorCode> {
  static override readonly brand: string = "TokenBudgetError";
}
