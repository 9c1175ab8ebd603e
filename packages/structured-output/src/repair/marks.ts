const DOUBLE_MARKS = "“”„‟«»＂〝〞〟";
const SINGLE_MARKS = "'‘’‚‛`´‹›＇";
const CLOSERS: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`´",
  "´": "´",
  "“": "”",
  "”": "”",
  "„": "“”",
  "‟": "”",
  "«": "»",
  "»": "«",
  "〝": "〞〟",
  "‘": "’",
  "’": "’",
  "‚": "‘’",
  "‛": "’",
  "‹": "›",
  "›": "‹",
  "＂": "＂",
  "＇": "＇",
  "「": "」",
  "『": "』",
};
const PUNCTUATION: Readonly<Record<string, string>> = {
  "｛": "{",
  "｝": "}",
  "［": "[",
  "］": "]",
  "【": "[",
  "】": "]",
  "（": "(",
  "）": ")",
  "，": ",",
  "、": ",",
  "､": ",",
  "：": ":",
  "；": ";",
  "＝": "=",
};

/** True if the character can open a string. */
export function isQuote(mark: string | undefined): mark is string {
  return mark !== undefined && Object.hasOwn(CLOSERS, mark);
}

/** How a quote closes a string opened by another: as its pair, as one of its kind, or not at all. */
export function closes(opening: string, mark: string): "pair" | "kind" | undefined {
  if (CLOSERS[opening]?.includes(mark) === true) return "pair";
  if (opening === '"' || opening === "'") return undefined;
  const family = DOUBLE_MARKS.includes(opening) ? `"${DOUBLE_MARKS}` : SINGLE_MARKS;
  return family.includes(opening) && family.includes(mark) ? "kind" : undefined;
}

/** Returns the character in JSON's spelling: full-width punctuation becomes ASCII. Empty past the end of the text. */
export function punctuationAt(text: string, position: number): string {
  const character = text.charAt(position);
  return character > "\u2fff" ? (PUNCTUATION[character] ?? character) : character;
}
