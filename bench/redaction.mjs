// Masks 5 MB of source, logs, secret-dense and hostile text, next to one regular expression per kind.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const SIZE = 5_000_000;
const ROUNDS = 7;
const CORE = new URL("../packages/core/dist/index.js", import.meta.url).href;

/** What a project without a library writes: the patterns of the documents, one after the other. */
const NAIVE = [
  /\bsk-(?:proj-|ant-)?[\w-]{20,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{36,}/g,
  /\bgithub_pat_\w{22,}/g,
  /\bxox[abprs]-[\w-]{10,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[\w-]{35}/g,
  /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  /\b(?:bearer|basic)\s+[\w.~+/=-]{8,}/gi,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g,
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s:@/]+:[^\s@]+@/gi,
  /["']?[\w.-]*(?:password|passwd|secret|token|api[_-]?key)[\w.-]*["']?\s*[:=]\s*["']?[^\s"',;]+/gi,
];

export async function run() {
  const { redactSecrets } = await import(CORE);
  const rows = Object.entries(texts()).map(([name, unit]) => {
    const text = filled(unit);
    const { findings } = redactSecrets(text);
    return {
      name,
      findings: findings.length,
      ms: medianMs(() => redactSecrets(text)),
      naive: naiveSpeed(text),
    };
  });
  return { title: "Redaction of 5 MB", markdown: report(rows) };
}

/**
 * Characters per second, on as much of the text as is processed in a second, because some of the patterns are
 * quadratic.
 */
function naiveSpeed(text) {
  for (let size = 20_000; ; size *= 4) {
    const part = text.slice(0, size);
    const start = performance.now();
    NAIVE.reduce((result, pattern) => result.replace(pattern, "[redacted]"), part);
    const elapsedMs = performance.now() - start;
    if (elapsedMs > 250 || part.length < size)
      return { size: part.length, mbPerSecond: part.length / 1000 / elapsedMs };
  }
}

function report(rows) {
  const lines = rows.map(({ name, findings, ms, naive }) => {
    const speed = SIZE / 1000 / ms;
    const ratio = speed / naive.mbPerSecond;
    const others = `${naive.mbPerSecond.toFixed(2)} (${(naive.size / 1000).toFixed(0)} kB)`;
    return `| ${name} | ${findings} | ${ms.toFixed(0)} | ${speed.toFixed(0)} | ${others} | ${ratio.toFixed(1)} |`;
  });
  return [
    "| text | masked | ms | MB/s | MB/s of 11 regular expressions (on) | ratio |",
    "| --- | --: | --: | --: | --: | --: |",
    ...lines,
  ].join("\n");
}

function texts() {
  const require = createRequire(import.meta.url);
  const source = readFileSync(
    require.resolve("typescript/lib/lib.dom.d.ts", {
      paths: [new URL("..", import.meta.url).pathname],
    }),
    "utf8",
  );
  const random = randomText();
  const logs = Array.from(
    { length: 2_000 },
    (_, line) =>
      `2025-01-01T00:00:${line % 60}.123Z INFO [http] GET /api/users/${line}?page=2 status=200 duration=12ms request=${random(16)}\n`,
  );
  logs.push(`WARN retrying with DB_PASSWORD=${random(16)}\n`);
  const dense = Array.from(
    { length: 2_000 },
    () =>
      `API_KEY=${"sk-"}proj-${random(48)}\npostgres://user:${random(12)}@db/x "Authorization: Bearer ${random(40)}" {"password":"${random(14)}"}\n`,
  );
  return {
    "TypeScript declarations": source,
    "server log": logs.join(""),
    "four secrets in 200 characters": dense.join(""),
    "hostile: -----BEGIN PRIVATE KEY-----": `-----BEGIN ${"PRIVATE KEY"}-----`,
    "hostile: ://x:y/": "://x:y/",
    "hostile: eyJ.": "eyJ.",
    'hostile: password="': 'password="',
    "hostile: a=": "a=",
  };
}

/** A string as read from a file: in one piece of memory. */
function filled(unit) {
  return Buffer.from(unit.repeat(Math.ceil(SIZE / unit.length)).slice(0, SIZE)).toString();
}

function randomText() {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return letters[Math.floor((state / 2 ** 32) * letters.length)];
  };
  return (length) => Array.from({ length }, next).join("");
}

function medianMs(action) {
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    action();
    return performance.now() - start;
  });
  return times.sort((left, right) => left - right)[Math.floor(ROUNDS / 2)];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { title, markdown } = await run();
  console.log(`## ${title}\n\n${markdown}`);
}
