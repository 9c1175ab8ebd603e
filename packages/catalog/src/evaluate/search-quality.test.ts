import fs from "node:fs";

import { describe, expect, it } from "vitest";

import type { ResourceRecord } from "../record/resource-record.ts";
import { createMemorySearchIndex } from "../search/create-memory-search-index.ts";
import { rankResources } from "../search/rank-resources.ts";
import { evaluateCatalog, type Evaluation } from "../../test-support/evaluate-catalog.mjs";

interface LabelledSet {
  records: ResourceRecord[];
  queries: { qid: string; text: string; split?: string }[];
  qrels: { qid: string; rid: string }[];
}

/** Returns the vector of a query or a record. Undefined for a record that has none. */
type Embed = (text: string, kind: "query" | "record") => Float32Array | undefined;

const table = (
  database: string,
  name: string,
  columns: string,
  description = "",
): Partial<ResourceRecord> => ({
  id: `res:db.${database}.${name}`,
  kind: "tabular",
  title: name,
  tags: [database],
  description,
  columns: columns.split(" ").map((column) => ({ name: column })),
});

const tool = (server: string, name: string, description: string): Partial<ResourceRecord> => ({
  id: `mcp:${server}/${name}`,
  kind: "api",
  title: name,
  tags: [server],
  description,
});

const asRecord = (fields: Partial<ResourceRecord>): ResourceRecord => ({
  id: "",
  kind: "tabular",
  title: "",
  tags: [],
  schema_digest: [],
  cap: [],
  updated_at: "2026-01-01T00:00:00Z",
  schema_hash: "",
  cap_hash: "",
  rev: 1,
  ...fields,
});

const english: Partial<ResourceRecord>[] = [
  table("bike_rental", "stations", "station_id name lat lon dock_count installation_date"),
  table(
    "bike_rental",
    "trips",
    "trip_id start_station_id end_station_id duration bike_id subscription_type",
  ),
  table("bike_rental", "weather", "date max_temperature_f mean_humidity events zip_code"),
  table("clinic", "patients", "ssn name address phone insurance_id pcp"),
  table("clinic", "physicians", "employee_id name position ssn"),
  table(
    "clinic",
    "appointments",
    "appointment_id patient prep_nurse physician start end examination_room",
  ),
  table("clinic", "prescribes", "physician patient medication date dose"),
  table("university", "students", "stu_id fname lname dob advisor_id tot_cred"),
  table("university", "instructors", "inst_id name dept_name salary"),
  table("university", "enrollments", "stu_id crs_id sec_id semester yr grade"),
  table("university", "courses", "crs_id title dept_name credits"),
  table("dw", "FCLT_BUILDING", "BLDG_KEY BLDG_NAME SITE_CD GROSS_AREA_SQFT YR_BUILT"),
  table("dw", "FCLT_ROOM", "ROOM_KEY BLDG_KEY FLOOR_KEY ROOM_USE_CD AREA_SQFT ORG_KEY"),
  table("dw", "HR_EMP_DIM", "EMP_KEY FULL_NM DEPT_CD JOB_TITLE_DESC HIRE_DT"),
  table(
    "dw",
    "FIN_GL_BALANCE",
    "GL_ACCT_KEY FISCAL_PERIOD BAL_AMT CUR_CD",
    "General ledger balances by period.",
  ),
  table("store", "orders", "order_id cust_id order_date status total_amt"),
  table("store", "order_items", "order_id sku qty unit_price"),
  table("store", "customers", "cust_id first_name last_name email city"),
  tool(
    "calendar",
    "create_event",
    "Schedules a meeting with participants, a time and an optional video link.",
  ),
  tool("calendar", "list_events", "Returns upcoming appointments of a user between two dates."),
  tool("mailbox", "send_message", "Sends an email with attachments to one or several recipients."),
  tool("mailbox", "search_inbox", "Finds emails by sender, subject or text."),
  tool("weather", "getForecast", "Temperature, rain and wind for the next days at a place."),
  tool("weather", "getAirQuality", "Current pollution, PM2.5 and pollen at coordinates."),
  tool("repos", "createPullRequest", "Opens a pull request from one branch to another."),
  tool("repos", "searchCode", "Looks for text in the source files of all repositories."),
  tool(
    "money",
    "convertCurrency",
    "Exchanges an amount from one currency into another at today's rate.",
  ),
  tool("money", "getStockQuote", "Last price of a share by its ticker symbol."),
  tool("images", "generateQrCode", "Makes a QR code picture for a link or a text."),
  tool("images", "removeBackground", "Cuts the main object out of a photo."),
];

const questions: [string, ...string[]][] = [
  ["How many docks does each station have?", "res:db.bike_rental.stations"],
  ["average duration of trips by subscription type", "res:db.bike_rental.trips"],
  ["On which days was the maximum temperature above 90?", "res:db.bike_rental.weather"],
  [
    "trips that started at stations with more than 20 docks",
    "res:db.bike_rental.trips",
    "res:db.bike_rental.stations",
  ],
  [
    "What medications has each doctor prescribed?",
    "res:db.clinic.prescribes",
    "res:db.clinic.physicians",
  ],
  [
    "Which patients have an appointment tomorrow?",
    "res:db.clinic.appointments",
    "res:db.clinic.patients",
  ],
  ["Find the dates of birth of all students", "res:db.university.students"],
  ["salaries of teachers by department", "res:db.university.instructors"],
  [
    "grades of students in each course",
    "res:db.university.enrollments",
    "res:db.university.courses",
  ],
  ["buildings built before 1950", "res:db.dw.FCLT_BUILDING"],
  ["square feet of rooms by organization", "res:db.dw.FCLT_ROOM"],
  ["when were the employees of each department hired", "res:db.dw.HR_EMP_DIM"],
  ["balance of general ledger accounts in euros", "res:db.dw.FIN_GL_BALANCE"],
  ["customers who ordered most, by quantity", "res:db.store.customers", "res:db.store.order_items"],
  ["сумма заказов по клиентам", "res:db.store.orders", "res:db.store.customers"],
  ["Could you please set up a meeting with Ann on Friday?", "mcp:calendar/create_event"],
  ["what appointments do I have next week", "mcp:calendar/list_events"],
  ["email the report to my boss", "mcp:mailbox/send_message"],
  ["Will it rain in Oslo tomorrow?", "mcp:weather/getForecast"],
  ["I want to open a PR for my branch", "mcp:repos/createPullRequest"],
  ["how much is 500 dollars in yen", "mcp:money/convertCurrency"],
  ["current price of the stock AAPL", "mcp:money/getStockQuote"],
  ["make a qrcode of my website", "mcp:images/generateQrCode"],
  ["photo without its background, please", "mcp:images/removeBackground"],
];

const englishSet: LabelledSet = {
  records: english.map(asRecord),
  queries: questions.map(([text], at) => ({ qid: String(at), text })),
  qrels: questions.flatMap(([, ...ids], at) => ids.map((rid) => ({ qid: String(at), rid }))),
};

const readLines = (name: string): unknown[] =>
  fs
    .readFileSync(new URL(`./__fixtures__/mixed-ru/${name}.jsonl`, import.meta.url), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line));

const mixedSet = (split: string): LabelledSet => {
  const { records, queries, qrels } = JSON.parse(
    JSON.stringify({
      records: readLines("resources"),
      queries: readLines("queries"),
      qrels: readLines("qrels"),
    }),
  );
  return {
    records: records.map(asRecord),
    queries: queries.filter((query: { split: string }) => query.split === split),
    qrels,
  };
};

const evaluate = async (
  { records, queries, qrels }: LabelledSet,
  embed?: Embed,
): Promise<Evaluation> => {
  const index = createMemorySearchIndex();
  const byId = new Map(records.map((record) => [record.id, record]));
  const vectorOf = (text: string, kind: "query" | "record"): { vector?: Float32Array } => {
    const vector = embed?.(text, kind);
    return vector === undefined ? {} : { vector };
  };
  await index.put(
    records.map((record) => ({
      record,
      ...vectorOf(`${record.title} ${record.description ?? ""} ${record.id}`, "record"),
    })),
  );
  const lookup = async (ids: readonly string[]): Promise<ResourceRecord[]> =>
    ids.flatMap((id) => byId.get(id) ?? []);
  const clock = { now: (): number => 0 };
  const search = ({
    text,
    limit,
  }: {
    text: string;
    limit: number;
  }): ReturnType<typeof rankResources> =>
    rankResources({ index, lookup, clock, text, limit, ...vectorOf(text, "query") });
  return evaluateCatalog({ search }, { queries, qrels });
};

/** 64 random numbers for the whole text: an embedding without any knowledge. */
const embedAsNoise = (text: string): Float32Array => {
  let state = 17;
  for (const character of text)
    state = (Math.imul(state, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return Float32Array.from({ length: 64 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  });
};

/**
 * Sums of such numbers over groups of four letters: an embedding that knows spelling but no
 * meaning.
 */
const embedSpelling = (text: string): Float32Array => {
  const sum = new Float32Array(64);
  const plain = ` ${text.toLowerCase()} `;
  for (let at = 0; at + 4 <= plain.length; at += 1) {
    embedAsNoise(plain.slice(at, at + 4)).forEach(
      (value, place) => (sum[place] = (sum[place] ?? 0) + value),
    );
  }
  return sum;
};

describe("search quality", () => {
  it("finds tables and tools by English questions, except one that shares no word with its tool", async () => {
    const { recallAt5, recallAt10, ndcgAt10 } = await evaluate(englishSet);
    expect(recallAt5).toBeGreaterThan(0.95);
    expect(recallAt10).toBeGreaterThan(0.95);
    expect(ndcgAt10).toBeGreaterThan(0.87);
  });

  it.each([
    ["tune", 0.7, 0.55],
    ["test", 0.65, 0.53],
  ])("finds Russian and mixed resources in the %s half", async (split, recall, ndcg) => {
    const { recallAt10, ndcgAt10, queries } = await evaluate(mixedSet(split));
    expect(queries).toBeGreaterThan(80);
    expect(recallAt10).toBeGreaterThan(recall);
    expect(ndcgAt10).toBeGreaterThan(ndcg);
  });

  it.each<[string, Embed]>([
    ["noise", embedAsNoise],
    ["spelling", embedSpelling],
    ["one point", (): Float32Array => Float32Array.from([1, 2, 3])],
    [
      "the opposite of spelling",
      (text) => embedSpelling(text).map((value) => (text.includes("mcp") ? -value : value)),
    ],
    [
      "half of the records",
      (text, kind) => (kind === "query" || text.length % 2 === 0 ? embedSpelling(text) : undefined),
    ],
    [
      "a tenth of the records",
      (text, kind) =>
        kind === "query" || text.length % 10 === 0 ? embedSpelling(text) : undefined,
    ],
  ])("is not spoiled by an embedding that knows only %s", async (_name, embed) => {
    for (const set of [englishSet, mixedSet("tune"), mixedSet("test")]) {
      const text = await evaluate(set);
      const hybrid = await evaluate(set, embed);
      expect(hybrid.recallAt10).toBeGreaterThan(text.recallAt10 - 0.011);
    }
  });
});
