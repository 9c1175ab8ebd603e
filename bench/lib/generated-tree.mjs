// A realistic repository of any size. The same count gives the same files on every machine.
import fs from "node:fs";
import path from "node:path";

const areas = [
  "billing",
  "catalog",
  "checkout",
  "customers",
  "delivery",
  "inventory",
  "messages",
  "pricing",
  "reports",
  "search",
];
const nouns = [
  "Account",
  "Address",
  "Basket",
  "Carrier",
  "Coupon",
  "Invoice",
  "Ledger",
  "Order",
  "Parcel",
  "Payment",
  "Product",
  "Quote",
  "Refund",
  "Return",
  "Shipment",
  "Stock",
  "Supplier",
  "Tariff",
  "Ticket",
  "Voucher",
];
const verbs = [
  "apply",
  "assign",
  "calculate",
  "cancel",
  "collect",
  "compare",
  "confirm",
  "create",
  "estimate",
  "find",
  "group",
  "merge",
  "parse",
  "render",
  "resolve",
  "schedule",
  "split",
  "update",
  "validate",
  "verify",
];
const details = [
  "Amount",
  "Batch",
  "Status",
  "Window",
  "Summary",
  "Options",
  "History",
  "Limit",
  "Reference",
  "Total",
];
const fields = [
  "id: string",
  "createdAt: number",
  "amountCents: number",
  "currency: string",
  "tags: readonly string[]",
  "parent?: string",
  "isActive: boolean",
  "quantity: number",
  "notes: string | undefined",
  "weightGrams: number",
];

/** Writes `count` TypeScript files of about 40 to 80 lines under `root`. */
export function writeGeneratedTree(root, count) {
  const random = createRandom(20_240_501);
  const written = [];
  for (let index = 0; index < count; index += 1) {
    const module = generateModule(index, written, random);
    const file = path.join(root, module.path);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, module.text);
    written.push(module);
  }
}

// Mulberry32.
function createRandom(seed) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit) => Math.floor(next() * limit);
  return { below, pick: (list) => list[below(list.length)] };
}

function generateModule(index, written, random) {
  const area = areas[index % areas.length];
  const noun = random.pick(nouns);
  const type = `${noun}${random.pick(details)}${index}`;
  const context = { type, noun, index, random };
  const imports = generateImports({ area, written, random });
  const functions = Array.from({ length: 2 + random.below(3) }, (_unused, position) =>
    generateFunction(position, context),
  );
  const parts = [
    imports.text,
    `const default${type}Limit = ${10 + random.below(990)};`,
    generateInterface(context),
    `/** Where a ${noun.toLowerCase()} stands. */\nexport type ${type}State = "open" | "held" | "closed";`,
    ...functions.map((item) => item.text),
    ...(random.below(3) === 0 ? [generateClass(context)] : []),
  ];
  const folder = `group-${String(Math.floor(index / 200)).padStart(3, "0")}`;
  return {
    path: `src/${area}/${folder}/${noun.toLowerCase()}-${index}.ts`,
    text: `${parts.filter((part) => part !== "").join("\n\n")}\n`,
    area,
    type,
  };
}

function generateImports({ area, written, random }) {
  const count = Math.min(written.length, random.below(4));
  const targets = new Set(Array.from({ length: count }, () => random.pick(written)));
  const lines = [...targets].map((target) => {
    const from = path.posix.relative(`src/${area}/group-000`, target.path);
    return `import type { ${target.type} } from "${from}";`;
  });
  return { text: lines.join("\n") };
}

function generateInterface({ type, noun, random }) {
  const start = random.below(fields.length);
  const rows = Array.from(
    { length: 3 + random.below(4) },
    (_unused, position) => fields[(start + position) % fields.length],
  );
  const members = rows.map((row, position) =>
    position % 2 === 0 ? `  /** See the ${noun.toLowerCase()} manual. */\n  ${row};` : `  ${row};`,
  );
  return `/** What is known of one ${noun.toLowerCase()}. */\nexport interface ${type} {\n${members.join("\n")}\n}`;
}

function generateFunction(position, { type, noun, index, random }) {
  const name = `${random.pick(verbs)}${noun}${random.pick(details)}${index}${"abcd"[position]}`;
  const body = random.pick([generateSums, generateGroups, generateChecks]);
  return { name, text: body({ name, type, word: noun.toLowerCase(), random }) };
}

function generateSums({ name, type, word, random }) {
  const step = 2 + random.below(7);
  return `/**
 * Walks the ${word} records and keeps those above the limit.
 * @param items ordered by time, oldest first
 */
export function ${name}(items: readonly ${type}[], limit = default${type}Limit): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [position, item] of items.entries()) {
    // Every ${step}th record is a summary of those before it.
    if (position % ${step} === 0) continue;
    const key = Object.keys(item).join(":");
    const previous = sums.get(key) ?? 0;
    if (previous + position > limit * ${1 + random.below(9)}) {
      sums.delete(key);
    } else {
      sums.set(key, previous + position * ${1 + random.below(99)});
    }
  }
  return sums;
}`;
}

function generateGroups({ name, type, word, random }) {
  return `/** Groups ${word} records by their state; what has none is open. */
export const ${name} = (items: readonly ${type}[], states: ReadonlyMap<${type}, ${type}State>): Record<${type}State, ${type}[]> => {
  const groups: Record<${type}State, ${type}[]> = { open: [], held: [], closed: [] };
  for (const item of items.slice(0, ${100 + random.below(900)})) {
    const state = states.get(item) ?? "open";
    groups[state].push(item);
  }
  return groups;
};`;
}

function generateChecks({ name, type, word, random }) {
  return `/** Asks the service about each ${word} and waits between two questions; throws when it stays silent. */
export async function ${name}(item: ${type}, ask: (key: string) => Promise<${type}State | undefined>): Promise<${type}State> {
  let waitMs = ${50 + random.below(500)};
  for (let attempt = 0; attempt < ${2 + random.below(5)}; attempt += 1) {
    const state = await ask(JSON.stringify(item));
    if (state !== undefined) return state;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    waitMs *= 2;
  }
  throw new Error("The ${word} service gave no answer");
}`;
}

function generateClass({ type, noun }) {
  return `/** Keeps ${noun.toLowerCase()} records in memory. */
export class ${type}Store {
  readonly #items = new Map<string, ${type}>();

  /** True when the record is new. */
  add(key: string, item: ${type}): boolean {
    const isNew = !this.#items.has(key);
    this.#items.set(key, item);
    return isNew;
  }

  /** In the order in which they were added. */
  list(): ${type}[] {
    return [...this.#items.values()];
  }
}`;
}
