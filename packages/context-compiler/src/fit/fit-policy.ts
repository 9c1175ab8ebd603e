import type { ChatMessage } from "@ccl/core";

import type { MessageMeter } from "./message-meter.ts";

/** A range of the input that a marker stands for. */
export interface ElidedRange {
  /** Indexes into the input: from `from` on, below `to`. Pinned messages split ranges, so all between are gone. */
  from: number;
  to: number;
  /** What was removed, tokens as they were counted before. */
  messages: number;
  tokens: number;
}

/** The settings of one call, checked and filled in. */
export interface FitPolicy {
  meter: MessageMeter;
  budget: number;
  /** The budget without the safety margin. */
  usable: number;
  high: number;
  low: number;
  compactAboveTokens: number;
  keptFactsTokens: number;
  pin: ((message: ChatMessage, index: number) => boolean) | undefined;
  restHint: ((message: ChatMessage) => string | undefined) | undefined;
  summaryOf: ((range: ElidedRange) => string | undefined) | undefined;
}

/** `1,234`. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
