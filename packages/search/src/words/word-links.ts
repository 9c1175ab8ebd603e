import { splitWords } from "./split-words.ts";
import { stemWord } from "./stem-word.ts";

/** Terms that may replace a word, with their weights. */
export interface WordLink {
  terms: string[];
  weight: number;
  isHint?: boolean | undefined;
}

/** Links by term, and phrases that have links. */
interface WordLinks {
  linksOf(term: string): readonly WordLink[];
  /**
   * Finds phrases in the stems. Maps the index of each word in a phrase to the terms that may
   * replace the phrase.
   */
  findPhrases(stems: readonly string[]): Map<number, WordLink[]>;
}

interface Phrase {
  terms: string[];
  links: WordLink[];
}

const abbreviationWeight = 0.5;
const relatedWeight = 0.3;
const translationWeight = 0.8;
const glossaryWeight = 1;
const longestGlossaryPhrase = 16;

type Strength = Omit<WordLink, "terms">;

let builtIn: Map<string, WordLink[]> | undefined;

/** Creates links for the user's glossary, then for the built-in word groups. */
export function createWordLinks(glossary: readonly (readonly string[])[]): WordLinks {
  const known = (builtIn ??= createBuiltInLinks());
  const words = new Map<string, WordLink[]>();
  const phrases = new Map<string, Phrase[]>();
  for (const group of glossary) {
    const sides = group.map(stemsOf).filter((terms) => terms.length > 0);
    for (const side of sides) {
      const links = sides
        .filter((other) => other !== side)
        .map((terms) => ({ terms, weight: glossaryWeight }));
      addSide({ words, phrases }, side, links);
    }
  }
  return {
    linksOf: (term) => [...(words.get(term) ?? []), ...(known.get(term) ?? [])],
    findPhrases: (stems) => findPhrases(phrases, stems),
  };
}

function addSide(
  { words, phrases }: { words: Map<string, WordLink[]>; phrases: Map<string, Phrase[]> },
  side: string[],
  links: WordLink[],
): void {
  const first = side[0] ?? "";
  if (side.length === 1) words.set(first, [...(words.get(first) ?? []), ...links]);
  else phrases.set(first, [...(phrases.get(first) ?? []), { terms: side, links }]);
}

function stemsOf(text: string): string[] {
  return splitWords(text, longestGlossaryPhrase).flatMap(({ parts }) => parts.map(stemWord));
}

function findPhrases(
  phrases: ReadonlyMap<string, readonly Phrase[]>,
  stems: readonly string[],
): Map<number, WordLink[]> {
  const found = new Map<number, WordLink[]>();
  if (phrases.size === 0) return found;
  stems.forEach((stem, start) => {
    for (const { terms, links } of phrases.get(stem) ?? []) {
      if (terms.some((term, at) => stems[start + at] !== term)) continue;
      for (let at = start; at < start + terms.length; at += 1)
        found.set(at, [...(found.get(at) ?? []), ...links]);
    }
  });
  return found;
}

function createBuiltInLinks(): Map<string, WordLink[]> {
  const byStem = new Map<string, WordLink[]>();
  const addLink = (from: string, to: string, strength: Strength): void => {
    const links = byStem.get(from) ?? [];
    byStem.set(from, links);
    if (to !== from && !links.some(({ terms }) => terms[0] === to))
      links.push({ terms: [to], ...strength });
  };
  const groups: [readonly (readonly string[])[], Strength][] = [
    [translations, { weight: translationWeight }],
    [abbreviations, { weight: abbreviationWeight }],
    [relatedWords, { weight: relatedWeight, isHint: true }],
  ];
  for (const [words, strength] of groups) {
    for (const [head = "", ...others] of words.map((group) => group.map(stemWord))) {
      for (const other of others) {
        addLink(head, other, strength);
        addLink(other, head, strength);
      }
    }
  }
  return byStem;
}

/** Common abbreviations in identifiers, each followed by the words that it may stand for. */
const abbreviations: readonly (readonly string[])[] =
  `acc acct account|accr accrual|acad academic|act active activity|addr address|adm admin administration|admin administrator administration|
agg aggregate|alloc allocation|alt alternate altitude|amt amount|app application|approx approximate|appt appointment|apt apartment airport|arr arrival|asst assistant|
assoc association|attr attribute|auth authentication authorization author|avail available availability|ave avenue average|avg average|bal balance|bdate birthdate|beg begin|bgn begin|bldg building|cal calendar|
calc calculate|cap capacity|cat category|cd code|cert certificate|chg charge change|cmt comment|cnt count|cntry country|co company|coll college|comm communication commission|comp company|conf conference|config configuration|
cont contact contract|coord coordinate coordinates|corp corporation|cost costs|crs course|ctry country|ctr center|cur current currency|curr current currency|cust customer|db database|del delete delivery|dep departure department|
dept department|desc description|dest destination|dev device development|dim dimension|dir director directory|disc discount|dist distance district|distr district|dob birthdate|doc document|docs documents|dt date|dur duration|
edu education|eff effective|emp employee|eng engineering english|env environment|err error|est estimate|evt event|exp expiration experience expense|ext extension|fac faculty facility|fclt facility|fin finance financial|fk foreign|
fname firstname|fmt format|freq frequency|fy fiscal|gen general|geo geography location|gov government|govt government|grp group|gui interface|hist history|hosp hospital|hr hour|hrs hours|hq headquarters|img image|inc income incident|
ind indicator industry|indiv individual|info information|init initial|ins insurance|inst institution institute|instr instructor|intl international|inv inventory invoice|lang language|lat latitude|len length|lib library|lic license|
ln line|lname lastname|lng longitude|loc location|lon longitude|long longitude|lvl level|mag magnitude|maint maintenance|max maximum|med medical|mem member memory|mfr manufacturer|mgmt management|mgr manager|mgt management|min minimum|
misc miscellaneous|mkt market|mktg marketing|mngr manager|mo month|mod model module|msg message|mtg meeting|mth month|mtrl material|natl national|nbr number|nm name|no number|nr number|num number|obj object|obs observation|
occ occupation|opt option|ord order|org organization|orig origin original|pct percent|perc percentage|perf performance|pers person|ph phone|pic picture|pkg package|pmt payment|pop population popularity|pos position|pref preference|
prev previous|prg program|prgm program|pri primary priority|proc process procedure|prod product production|prof professor profession|prog program|proj project|prop property|prov province provider|pswd password|pt point patient|
pub publication|purch purchase|pwd password|qtr quarter|qty quantity|rec record|recv receive|ref reference|reg region registration|rel relation release|rep representative report|repo repository|req request requirement|res resource resolution|
resp response|ret return|rev revenue revision|rm room|rpt report|rte route|sal salary|sched schedule|sec section second|seq sequence|ser serial series|sess session|sig signature|soc social|spec specification|sq square|src source|
st street state|stat status statistics|std standard|stmt statement|stn station|str street|stu student|stud student|subj subject|subm submission|subs subscription|supp supplier|sys system|tbl table|tech technology technical|tel telephone phone|
temp temperature temporary|tgt target|tmp temporary|tot total|trans transaction|tx transaction|txn transaction|txt text|typ type|univ university|upd update|usr user|util utility|val value|veh vehicle|ver version|vol volume|vw view|
whs warehouse|wk week|wt weight|yr year|yrs years|zip postcode|gps coordinates location|pr pull|k8s kubernetes|ts timestamp`
    .split("|")
    .map((group) => group.trim().split(/\s+/));

/** Words used in tasks, each followed by schema and tool words with the same or nearly the same meaning. */
const relatedWords: readonly (readonly string[])[] =
  `nation country nationality|speak language spoken|weigh weight heavy heaviest|height tall tallest|age old oldest young youngest birthdate birthday|born birth birthdate birthday|
died death dead|live residence address living reside|earn salary wage income earnings|cost price expensive cheap cheapest|pay payment paid|buy purchase bought|sell sale sold|own owner ownership|teach teacher instructor|maker manufacturer make|
car vehicle automobile auto|movie film|song track music|photo picture image|clip video|job position occupation employment|worker employee staff|boss manager supervisor|firm company business corporation enterprise|client customer|
kid child|doctor physician|physician doctor|pupil student|college university school|professor faculty instructor|class course|grade score mark|mail email|phone telephone|airline carrier|plane aircraft airplane|trip travel journey|
hotel accommodation lodging|restaurant dining food|shop store|goods product item merchandise|stock inventory share|begin start|end finish|error failure fault|delete remove|create add new make|change update modify edit|send deliver message|
translate translation language|weather forecast temperature climate|rain precipitation weather|news article headline|quote quotation|tweet twitter|repo repository git|folder directory|file document|web website page url|link url|search find lookup|
schedule calendar event appointment|meeting event appointment|reminder notification alarm|map location geography|route direction navigation|distance far near|crypto cryptocurrency bitcoin coin|currency exchange money|tax vat|recipe cooking food dish|
diet nutrition calorie|exercise workout fitness|illness disease condition|drug medicine medication|sport game match|winner champion win|team club|player athlete|contest competition|prize award|gender sex|male man sex gender|female woman sex gender|
city town municipality|county district|state province|zip postal postcode|area region zone|continent european asian african|year annual yearly|month monthly|day daily|hour hourly|income revenue|spend expense expenditure|debt loan|
fee charge cost|amount total sum|percent percentage rate ratio|rank ranking position|count number|kind type category|title name|describe description|author writer|write writer author|publish publication publisher|book publication|paper article publication|
pet animal|flower plant|ill sick patient|hire employ recruitment|fire dismiss|arrive arrival|depart departure leave|fly flight|ship shipment vessel|deliver delivery shipping|order purchase|invoice bill|contract agreement|law legal|
crime offense|password credential|login signin authentication|user account member|friend contact relationship|chat message conversation|summary summarize abstract|compute calculation calculate|graph chart plot diagram|draw drawing diagram|
founded established foundation|governor government|leader head president|population people inhabitants residents|building facility|room space|office department|budget funding|grant award|faculty department|wealth income|
temperature heat|speed fast velocity|size large area|color colour|centre center|organisation organization|theatre theater|film movie|license licence|catalogue catalog|programme program|cancel cancellation|enroll enrollment registration|
register registration|attend attendance|visit visitor|rent rental|book booking reservation|reserve reservation|review rating feedback|rate rating|like favorite|follow follower|view viewer|subscribe subscription|download file|upload file|
convert conversion converter|validate validation verify|verify verification|shorten shortener short|generate generator|recommend recommendation suggest|compare comparison|analyze analysis analytics|predict prediction forecast|detect detection|encrypt encryption`
    .split("|")
    .map((group) => group.trim().split(/\s+/));

/**
 * Russian words, each followed by the English words used for the same thing in schemas and tools.
 */
const translations: readonly (readonly string[])[] =
  `адрес address|аккаунт account|альбом album|аналитика analytics|аренда rent rental|архив archive|аэропорт airport|база database base|баланс balance|банк bank|безопасность security|билет ticket|
больница hospital|бронирование booking reservation|бюджет budget|валюта currency|версия version|вес weight|видео video|возврат return refund|возраст age|врач doctor physician|время time|встреча meeting|выручка revenue sales|
год year|город city|группа group|дата date|движение movement transaction|день day|деньги money|департамент department|документ document|договор contract|должность position job|доставка delivery shipping|доход income revenue|ежегодный yearly annual|
ежедневный daily day|ежемесячный monthly month|еженедельный weekly week|журнал log journal|задача task|задержка latency delay|заказ order|заказчик customer client|запас stock inventory|запись record|запрос request query|зарплата salary wage|звонок call|здание building|
имя name|инвойс invoice|календарь calendar|канал channel|карта map card|категория category|качество quality|квартал quarter|клиент customer client|книга book|код code|количество quantity count|комментарий comment|компания company|корзина cart basket|
курс rate course|логин login|магазин store shop|маршрут route|месяц month|метрика metric|музыка music|налог tax|название name title|настройка setting configuration|неделя week|новость news|номер number|оборот turnover revenue|объект object|оплата payment|
остаток balance stock|отдел department|отзыв review feedback|отель hotel|отпуск vacation leave|отчет report|оценка rating grade score|очередь queue|ошибка error|папка folder directory|пароль password|пациент patient|перевод translation transfer|период period|песня song|
письмо email letter|платеж payment|погода weather|поезд train|поиск search|покупатель customer buyer|покупка purchase|пользователь user|поставка supply delivery|поставщик supplier vendor|почта email mail|продажа sale sales|продукт product|проект project|прибыль profit|
производитель manufacturer|процент percent|расписание schedule|расход expense cost|регион region|рейс flight|рейтинг rating|репозиторий repository|роль role|самолет aircraft|сайт website site|сервер server|скидка discount|склад warehouse|служба service|событие event|
сообщение message|сотрудник employee staff|состояние state status|статус status|статья article|стоимость cost price|страна country|страница page|строка row line|студент student|сумма amount sum total|счет account invoice|таблица table|тег tag|телефон phone|температура temperature|
товар product item|транзакция transaction|трафик traffic|уведомление notification|улица street|университет university|услуга service|устройство device|учитель teacher|файл file|фильм film movie|фото photo image|цвет color|цена price|чек receipt check|человек person people|школа school|язык language`
    .split("|")
    .map((group) => group.trim().split(/\s+/));
