const loneSurrogates = /\p{Surrogate}/gu;

/** Replaces each lone surrogate, which UTF-8 cannot encode, with U+FFFD. A cut within an emoji leaves one. */
export function wellFormed(text: string): string {
  return text.replace(loneSurrogates, "\uFFFD");
}
