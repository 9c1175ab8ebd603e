import { TokenBudgetError } from "./token-budget-error.ts";
import type { TokenCounter } from "./token-counter.ts";

/** The size of a budget, and how reliable its counts are. */
export interface TokenBudgetOptions {
  /** Total tokens, 1 or more. */
  total: number;
  /** The counter of the spent tokens. Without one, counts are taken as exact. */
  counter?: TokenCounter | undefined;
  /**
   * The share of `total` to hold back, from 0 to below 1. By default 0 for an exact counter and 0.1
   * for an estimate.
   */
  safetyMargin?: number | undefined;
}

/** The reserved and spent tokens of one section. */
interface SectionBreakdown {
  reserved: number;
  spent: number;
}

/** How a budget's tokens are used. Sections are in the order of their first use. */
interface TokenBreakdown {
  total: number;
  /** `total` minus the safety margin. Sections reserve and spend from this. */
  usable: number;
  spent: number;
  /** Tokens that are neither spent nor reserved. */
  free: number;
  sections: Record<string, SectionBreakdown>;
}

/**
 * Divides a number of tokens among named sections. A section first spends its reserve, then
 * unreserved tokens. The sum never exceeds `usable`. A rejected call changes nothing.
 */
export class TokenBudget {
  readonly total: number;
  readonly usable: number;
  readonly #sections = new Map<string, SectionBreakdown>();

  /**
   * @throws TokenBudgetError `invalid_budget` unless `total` is a positive integer and the margin
   * is from 0 to below 1
   */
  constructor(options: TokenBudgetOptions) {
    const {
      total,
      counter,
      safetyMargin = counter === undefined || counter.isExact ? 0 : 0.1,
    } = options;
    requireThat(
      Number.isSafeInteger(total) && total > 0,
      `A budget needs a positive whole total, not ${total}.`,
    );
    requireThat(
      safetyMargin >= 0 && safetyMargin < 1,
      `A safety margin lies from 0 to below 1, not ${safetyMargin}.`,
    );
    this.total = total;
    this.usable = Math.floor(total * (1 - safetyMargin));
  }

  /**
   * Reserves more tokens for one section.
   * @throws TokenBudgetError `budget_exceeded` if there are too few free tokens
   */
  reserve(section: string, tokens: number): void {
    this.#require(section, tokens, this.remaining());
    this.#sectionOf(section).reserved += tokens;
  }

  /**
   * Spends tokens permanently.
   * @throws TokenBudgetError `budget_exceeded` if `tokens` exceeds `remaining(section)`
   */
  spend(section: string, tokens: number): void {
    this.#require(section, tokens, this.remaining(section));
    this.#sectionOf(section).spent += tokens;
  }

  /**
   * Returns the tokens that one section can still spend. Without a section, returns the tokens that
   * are neither spent nor reserved.
   */
  remaining(section?: string): number {
    let free = this.usable;
    for (const { reserved, spent } of this.#sections.values()) free -= Math.max(reserved, spent);
    const state = section === undefined ? undefined : this.#sections.get(section);
    return state === undefined ? free : free + Math.max(0, state.reserved - state.spent);
  }

  /** Returns a copy of the state, for traces and errors. */
  breakdown(): TokenBreakdown {
    const sections = [...this.#sections].map(([name, state]) => [name, { ...state }] as const);
    const spent = sections.reduce((sum, [, section]) => sum + section.spent, 0);
    return {
      total: this.total,
      usable: this.usable,
      spent,
      free: this.remaining(),
      sections: Object.fromEntries(sections),
    };
  }

  #sectionOf(name: string): SectionBreakdown {
    const section = this.#sections.get(name) ?? { reserved: 0, spent: 0 };
    this.#sections.set(name, section);
    return section;
  }

  #require(section: string, tokens: number, left: number): void {
    requireThat(
      Number.isSafeInteger(tokens) && tokens >= 0,
      `Tokens are whole and not negative, not ${tokens}.`,
    );
    if (tokens <= left) return;
    const message = `"${section}" needs ${tokens} tokens and ${left} are left of ${this.usable}; shorten it or raise the budget.`;
    throw new TokenBudgetError("budget_exceeded", message, { details: this.breakdown() });
  }
}

function requireThat(isValid: boolean, message: string): void {
  if (!isValid) throw new TokenBudgetError("invalid_budget", message);
}
