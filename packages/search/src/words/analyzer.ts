import { createWordLinks, type WordLink } from "./word-links.ts";
import { splitWords, type SplitWord } from "./split-words.ts";
import { stemWord } from "./stem-word.ts";

/** A way to match a word of a query. The scores of its terms are averaged and multiplied by the weight. */
export interface TermAlternative {
  terms: string[];
  /** 1 for the word itself. */
  weight: number;
  /** True for a weak match, which adds to the score but leaves the word unmatched. */
  isHint?: boolean | undefined;
}

/** A query word and the ways to match it. Only the best one counts. */
export interface QueryWord {
  /** The word as written in the query. */
  word: string;
  alternatives: TermAlternative[];
}

/** Converts text to terms. The same text always produces the same terms. */
export interface Analyzer {
  /** Saved with an index. An analyzer with another name cannot restore the index. */
  name: string;
  /** Returns the terms in a document's text in order, with repetitions. */
  documentTerms(text: string): string[];
  /** Returns the distinct words of a query in order, without words that carry no subject. */
  queryWords(text: string): QueryWord[];
}

/** Options of the default analyzer. */
interface AnalyzerOptions {
  /**
   * Groups of words or phrases with the same meaning, such as `["gmv", "gross merchandise value"]`.
   * Applied only to queries.
   */
  glossary?: readonly (readonly string[])[] | undefined;
  /** Additional words that carry no subject, in lower case. */
  stopWords?: Iterable<string> | undefined;
  /**
   * Weight of two adjacent query words joined into one, as `high school` matches `highschool`. 1 by
   * default. With less, one identifier counts less for each of the two words.
   */
  joinedWeight?: number | undefined;
}

/** Maximum number of words to read from the beginning of a document's field or a query. */
const maxWords = 20_000;
const maxQueryWords = 500;
const requestWeight = 0.5;
/**
 * Creates the default analyzer. It splits identifiers, paths and camelCase, and also keeps them
 * whole. It stems English and Russian, and knows common abbreviations in identifiers, related
 * words, and Russian equivalents of English column names. It drops query words that carry no
 * subject.
 */
export function createAnalyzer(options: AnalyzerOptions = {}): Analyzer {
  const { joinedWeight = 1 } = options;
  const ignored = new Set([...stopWords, ...(options.stopWords ?? [])]);
  const links = createWordLinks(options.glossary ?? []);
  return {
    name: "ccl-analyzer-1",
    documentTerms(text) {
      const terms: string[] = [];
      for (const { parts, whole } of splitWords(text, maxWords)) {
        for (const part of parts) terms.push(stemWord(part));
        if (parts.length > 1) terms.push(stemWord(whole));
      }
      return terms;
    },
    queryWords(text) {
      const words = splitWords(text, maxQueryWords);
      const phrases = links.findPhrases(words.map(({ whole }) => stemWord(whole)));
      const queried = words.map((word, at) => ({ word, phraseLinks: phrases.get(at) ?? [] }));
      const significant = queried.filter(
        ({ word, phraseLinks }) => phraseLinks.length > 0 || !ignored.has(word.whole),
      );
      return toQueryWords(significant.length > 0 ? significant : queried, {
        linksOf: links.linksOf,
        joinedWeight,
      });
    },
  };
}

interface AskedWord {
  word: SplitWord;
  phraseLinks: readonly WordLink[];
}

function toQueryWords(
  queried: readonly AskedWord[],
  {
    linksOf,
    joinedWeight,
  }: { linksOf: (term: string) => readonly WordLink[]; joinedWeight: number },
): QueryWord[] {
  const found = new Map<string, QueryWord>();
  queried.forEach(({ word, phraseLinks }, at) => {
    const weight = requestWords.has(word.whole) ? requestWeight : 1;
    for (const part of word.parts) {
      const term = stemWord(part);
      if (found.has(term)) continue;
      const alternatives: TermAlternative[] = [
        { terms: [term], weight },
        ...ownForm(word, weight),
        ...joinedForms(word, [queried[at - 1]?.word, queried[at + 1]?.word], joinedWeight * weight),
      ];
      for (const link of [...phraseLinks, ...linksOf(term)]) {
        alternatives.push({ ...link, weight: link.weight * weight });
      }
      found.set(term, { word: word.parts.length === 1 ? word.written : part, alternatives });
    }
  });
  return [...found.values()];
}

/** Returns an identifier as a whole. */
function ownForm({ whole, parts }: SplitWord, weight: number): TermAlternative[] {
  return parts.length > 1 ? [{ terms: [stemWord(whole)], weight }] : [];
}

/** Returns two adjacent words joined into one, as `high school` matches `highschool`. */
function joinedForms(
  { whole }: SplitWord,
  [before, after]: (SplitWord | undefined)[],
  weight: number,
): TermAlternative[] {
  return [before && before.whole + whole, after && whole + after.whole].flatMap((form) =>
    form ? { terms: [stemWord(form)], weight } : [],
  );
}

/**
 * English and Russian words that carry no subject, in lower case. They become query terms only if
 * the query has no other words.
 */
const stopWords: ReadonlySet<string> = new Set(
  `a about above after again all also am among an and any anyone anything are as at be because been before being below between both but by
  can cannot could did do does doing don done down during each either else ever every few for from further had has have having he her here
  hers herself hey hi him himself his how however i if in into is it its itself just let ll m many me might more most much must my myself neither
  no nor not now of off on once only onto or other others our ours out over own per re s same shall she should since so some such t than that
  the their theirs them themselves then there these they this those through thus to too under until up upon us ve very was we were what
  whatever when where whether which while who whom whose why will with within without would yes yet you your yours yourself
  и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из ему теперь
  когда даже ну ли если уже или ни быть был него до вас нибудь вам ведь там потом себя ничего ей может они тут где есть надо ней для мы
  тебя их чем была сам чтоб без будто чего раз тоже себе под будет ж тогда кто этот того потому этого какой какая какие какое каких
  каком каждый каждая каждое каждого каждой каждому ним здесь этом один почти мой тем чтобы нее были куда зачем всех никогда можно при
  об другой хоть после над больше тот через эти нас про всего них много разве эту моя свою этой перед иногда лучше чуть том нельзя такой
  им более всегда конечно всю между это мои наш наша наши сколько который которая которые которое которых которым чей чья нам мной будут будем будет вот очень самый самая самое самые нами нашем нашу наших нашей своей своих свои твой ваш ваша ваши`
    .split(/\s+/)
    .filter(Boolean),
);

/**
 * Words used to phrase a request that seldom name what is requested. In a query, they become terms
 * with a small weight.
 */
const requestWords: ReadonlySet<string> = new Set(
  `additionally appreciate ask assist assistance available calculate check compute could curious desire determine display enumerate explore
  fetch figure find gather get give given grab hello help identify information inform interested know learn like list look looking lookup
  need obtain offer output please possible present provide providing query request require retrieve return select sees see seek show
  suggest tell thank thanks understand use using want wanted wish wonder working
  дай дайте выведи вывести выдай выдать запрос интересует найди найдите найти нужен нужна нужно нужны отобрази отобразить перечисли
  перечислить подскажи подскажите покажи покажите показать получи получить пожалуйста помоги помогите посмотреть посчитай посчитать
  предоставь расскажи сделай сделать скажи спасибо список хочу хотел хотела узнать`
    .split(/\s+/)
    .filter(Boolean),
);
