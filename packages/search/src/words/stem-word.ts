import { stemmer as stemRussian } from "@orama/stemmers/russian";
import { stem as stemEnglish } from "porter2";

const maxCached = 100_000;
const cache = new Map<string, string>();

/** Plurals and other forms that no suffix rule can reverse. */
const irregular = new Map(
  (
    "people person, men man, women woman, children child, feet foot, teeth tooth, mice mouse, geese " +
    "goose, indices index, matrices matrix, vertices vertex, appendices appendix, analyses analysis, " +
    "criteria criterion, phenomena phenomenon, media medium, lives life, wives wife, leaves leaf, bought " +
    "buy, sold sell, paid pay, held hold, taught teach, sent send, written write, wrote write, won win, " +
    "flew fly, flown fly, taken take, took take, made make, dying die, lying lie, tying tie, люди " +
    "человек, людей человек, людям человек, дети ребенок, детей ребенок"
  )
    .split(", ")
    .map((pair) => {
      const [form = "", word = ""] = pair.split(" ");
      return [form, word];
    }),
);

/**
 * Words that the suffix rules would confuse with other words, such as `organ`, `author`, `universe`
 * and `custom`.
 */
const ownStems = new Map(
  [
    [
      "organize",
      "organized organizes organizer organizers organizing organization organizations organizational",
    ],
    [
      "organize",
      "organise organised organises organiser organisers organising organisation organisations",
    ],
    ["authority", "authorities"],
    ["university", "universities"],
    ["customer", "customers"],
  ].flatMap(([stem = "", forms = ""]) =>
    [stem, ...forms.split(" ")].map((form): [string, string] => [form, stem]),
  ),
);

/**
 * Returns the stem of a lower-case word. Uses Snowball's English stemmer (Porter 2) for Latin
 * letters and its Russian stemmer for Cyrillic ones. Other words are returned unchanged.
 */
export function stemWord(word: string): string {
  if (word.length < 3) return word;
  const known = cache.get(word);
  if (known !== undefined) return known;
  const stem = ownStems.get(word) ?? computeStem(irregular.get(word) ?? word);
  if (cache.size >= maxCached) cache.clear();
  cache.set(word, stem);
  return stem;
}

/** Returns words with this stem that may start differently, such as `sent` for `send`. */
export function irregularFormsOf(stem: string): string[] {
  return [...irregular.keys()].filter((form) => stemWord(form) === stem);
}

function computeStem(word: string): string {
  if (/^[a-z]+$/.test(word)) return stemEnglish(word);
  return /^[а-я]+$/.test(word) ? stemRussian(word) : word;
}
