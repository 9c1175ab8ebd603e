const loneSurrogates = /\p{Surrogate}/gu;

/** U+FFFD for each half of a surrogate pair, which has no form in UTF-8: a text that was cut within an emoji ends in one. */
export function wellFormed(text: string): string {
  return text.replace(loneSurrogates, "\uFFFD");
}
