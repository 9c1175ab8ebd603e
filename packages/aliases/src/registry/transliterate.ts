const LETTERS = Object.fromEntries(
  "а:a б:b в:v г:g д:d е:e ж:zh з:z и:i й:y к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:h ц:ts ч:ch ш:sh щ:sch ъ: ы:y ь: э:e ю:yu я:ya"
    .split(" ")
    .map((pair) => pair.split(":")),
);

/**
 * Transliterates a Cyrillic word using the usual spelling of loanwords: `парсер` becomes `parser`.
 * Other words are returned unchanged.
 */
export function transliterate(word: string): string {
  return [...word]
    .map((letter) => {
      const latin: unknown = LETTERS[letter.toLowerCase()];
      if (typeof latin !== "string") return letter;
      return letter === letter.toLowerCase() ? latin : latin.replace(/^./, (a) => a.toUpperCase());
    })
    .join("");
}
