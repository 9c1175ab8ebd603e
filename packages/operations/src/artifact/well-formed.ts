const loneSurrogates = /\p{Surrogate}/gu;

/**
 * Replaces each lone surrogate with U+FFFD, since UTF-8 cannot encode it. A text that was cut within an emoji ends in
 * one.
 */
export function wellFormed(text: string): string {
  return text.replace(loneSurrogates, "\uFFFD");
}
