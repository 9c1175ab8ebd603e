import { systemCode } from "./system-code.ts";

/** Distinguishes a process from every other one, including later ones with the same number. */
export interface ProcessIdentity {
  host: string;
  /** Linux: the id of the machine's current boot. Elsewhere `""`. */
  boot: string;
  /** Linux: the namespace in which `pid` means this process, one per container. Elsewhere `""`. */
  space: string;
  pid: number;
  /** Linux: clock ticks from boot to the start of the process (proc_pid_stat(5), field 22). Elsewhere ms since 1970. */
  started: number;
}

/** Maximum time by which the start that the system reports may be later than the process records. */
const clockSlackMs = 2_000;
/**
 * Start times are cached this long. Without /proc, reading one starts a child process, and a caller
 * that waits for a lock asks repeatedly.
 */
const startTimeReusedMs = 1_000;

let thisProcess: Promise<ProcessIdentity> | undefined;

/** Returns the identity of this process. */
export function ownProcessIdentity(): Promise<ProcessIdentity> {
  thisProcess ??= (async () => {
    const boot = (await textOf("/proc/sys/kernel/random/boot_id")).trim();
    const space =
      boot === ""
        ? ""
        : await files()
            .readlink("/proc/self/ns/pid")
            .catch(() => "");
    const started =
      boot === "" ? performance.timeOrigin : await ticksAtStart(globalThis.process.pid);
    return {
      host: globalThis.process.getBuiltinModule("node:os").hostname(),
      boot,
      space,
      pid: globalThis.process.pid,
      started: typeof started === "number" ? Math.round(started) : 0,
    };
  })();
  return thisProcess;
}

/** System calls that provide information on processes. */
export interface ProcessFacts {
  own(): Promise<ProcessIdentity>;
  exists(pid: number): boolean;
  /**
   * Returns `ended` for a process whose parent has not read its exit code yet. Undefined if the system reports neither.
   */
  ticksAtStart(pid: number): Promise<number | "ended" | undefined>;
  startTimeMs(pid: number): Promise<number | undefined>;
}

/**
 * Checks whether a process is still running. `unknown` on another machine or in another container. A process that ended
 * counts as dead even if its number is reused, provided that the system reports start times: Linux in /proc, macOS and
 * BSD by `ps`, Windows by PowerShell. Without start times such a process counts as `alive`, which is safe.
 */
export async function processState(
  other: ProcessIdentity,
  facts: ProcessFacts = { own: ownProcessIdentity, exists, ticksAtStart, startTimeMs },
): Promise<"alive" | "dead" | "unknown"> {
  const self = await facts.own();
  if (other.host !== self.host) return "unknown";
  if (other.boot !== self.boot) return other.boot === "" || self.boot === "" ? "unknown" : "dead";
  if (other.space !== self.space) return "unknown";
  if (!facts.exists(other.pid)) return "dead";
  if (self.boot !== "") {
    const ticks = await facts.ticksAtStart(other.pid);
    return ticks === undefined || ticks === other.started ? "alive" : "dead";
  }
  // A process records its start a moment after the system does. A later process with its number
  // starts after that.
  const startedMs = await facts.startTimeMs(other.pid);
  return startedMs !== undefined && startedMs > other.started + clockSlackMs ? "dead" : "alive";
}

/** True if a process with this number exists, even one of another user. */
function exists(pid: number): boolean {
  try {
    globalThis.process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== "ESRCH";
  }
}

async function ticksAtStart(pid: number): Promise<number | "ended" | undefined> {
  const stat = await textOf(`/proc/${pid}/stat`);
  // The second field is the program's name in brackets, which may contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // A zombie has ended. Its number stays in use until its parent reads the exit code.
  if (fields[0] === "Z" || fields[0] === "X") return "ended";
  const ticks = fields[19];
  return ticks === undefined ? undefined : Number(ticks);
}

const files = () => globalThis.process.getBuiltinModule("node:fs/promises");
const textOf = (path: string): Promise<string> =>
  files()
    .readFile(path, "latin1")
    .catch(() => "");

let lastReading: { pid: number; atMs: number; answer: Promise<number | undefined> } | undefined;

function startTimeMs(pid: number): Promise<number | undefined> {
  const nowMs = performance.now();
  if (lastReading?.pid !== pid || nowMs - lastReading.atMs >= startTimeReusedMs)
    lastReading = { pid, atMs: nowMs, answer: askSystem(pid) };
  return lastReading.answer;
}

async function askSystem(pid: number): Promise<number | undefined> {
  const isWindows = globalThis.process.platform === "win32";
  const command = `(Get-Process -Id ${pid}).StartTime.ToUniversalTime().ToString("o")`;
  const [file, args] = isWindows
    ? ["powershell.exe", ["-NoProfile", "-NonInteractive", "-Command", command]]
    : ["ps", ["-o", "lstart=", "-p", String(pid)]];
  try {
    const env = { ...globalThis.process.env, LC_ALL: "C", TZ: "UTC" };
    const { promisify } = globalThis.process.getBuiltinModule("node:util");
    const { execFile } = globalThis.process.getBuiltinModule("node:child_process");
    const { stdout } = await promisify(execFile)(file, args, { env, timeout: 10_000 });
    return parseStartTime(stdout, isWindows);
  } catch {
    return undefined;
  }
}

/**
 * Parses the output of PowerShell's round-trip format, or of `ps -o lstart=` in UTC: `Mon Nov 23
 * 21:00:55 2026`.
 */
export function parseStartTime(output: string, isWindows: boolean): number | undefined {
  const text = output.trim();
  const ms = Date.parse(isWindows ? text : `${text} UTC`);
  return text === "" || Number.isNaN(ms) ? undefined : ms;
}
