import type { Hook, Trigger } from "../operation/operation-definition.ts";
import type { ProfileIssue, ProfileOperation } from "./operation-profile.ts";

/** An operation and its path in the profile. */
export interface PlacedOperation extends ProfileOperation {
  path: ProfileIssue["path"];
}

interface Graph {
  /** The first operation with each id. */
  byId: ReadonlyMap<string, PlacedOperation>;
  operations: readonly PlacedOperation[];
}

const hooks: readonly Hook[] = ["before_main_llm", "after_main_llm"];
const triggers: readonly Trigger[] = ["generate", "regenerate"];
// If all operations depend on each other, any two of them form a cycle.
const maxCycles = 100;
const maxNamed = 50;

/** Checks the dependency graph. Linear in operations and dependencies. */
export function checkDependencies(operations: readonly PlacedOperation[]): ProfileIssue[] {
  const byId = new Map(
    operations.toReversed().map((operation) => [operation.operationId, operation]),
  );
  const graph = { byId, operations };
  const { cycles, order } = walk(graph);
  const issues = [...checkReferences(graph), ...cycles];
  // With a broken graph, the next check would only repeat these issues.
  if (issues.length > 0) return issues;
  return hooks.flatMap((hook) =>
    triggers.flatMap((trigger) => checkReach(graph, { hook, trigger, order })),
  );
}

function dependencyPath({ path }: PlacedOperation, at: number): ProfileIssue["path"] {
  return [...path, "config", "dependsOn", at];
}

function checkReferences({ byId, operations }: Graph): ProfileIssue[] {
  return operations.flatMap((operation) =>
    (operation.config.dependsOn ?? []).flatMap((dependency, at) => {
      const issue = checkReference(operation, dependency, byId.get(dependency));
      return issue === undefined ? [] : [{ ...issue, path: dependencyPath(operation, at) }];
    }),
  );
}

function checkReference(
  { operationId, config }: ProfileOperation,
  dependency: string,
  target: ProfileOperation | undefined,
): Omit<ProfileIssue, "path"> | undefined {
  const [name, other] = [JSON.stringify(operationId), JSON.stringify(dependency)];
  if (dependency === operationId) {
    return {
      code: "self_dependency",
      message: `${name} depends on itself: ${operationId} -> ${operationId}.`,
    };
  }
  if (target === undefined) {
    return {
      code: "unknown_dependency",
      message: `${name} depends on ${other}, which is not in the profile.`,
    };
  }
  const missing = config.hooks.filter((hook) => !target.config.hooks.includes(hook));
  if (missing.length === 0) return undefined;
  const message = `${name} depends on ${other} in ${missing.join(" and ")}, where ${other} does not run; a dependency binds inside a hook.`;
  return { code: "cross_hook_dependency", message };
}

/**
 * Walks the graph depth-first, in profile order. Returns an issue for each dependency that closes a cycle, up to a
 * limit. Also returns the ids in topological order, dependencies first.
 */
function walk({ byId, operations }: Graph): { cycles: ProfileIssue[]; order: string[] } {
  const cycles: ProfileIssue[] = [];
  const order: string[] = [];
  const state = new Map<string, "open" | "closed">();
  for (const { operationId } of operations) {
    if (state.has(operationId) || cycles.length >= maxCycles) continue;
    const trail: { id: string; next: number }[] = [{ id: operationId, next: 0 }];
    state.set(operationId, "open");
    for (
      let top = trail.at(-1);
      top !== undefined && cycles.length < maxCycles;
      top = trail.at(-1)
    ) {
      const entry = byId.get(top.id);
      const dependency = entry?.config.dependsOn?.[top.next];
      if (entry === undefined || dependency === undefined) {
        state.set(top.id, "closed");
        order.push(top.id);
        trail.pop();
        continue;
      }
      top.next += 1;
      const known = state.get(dependency);
      if (known === "open" && dependency !== top.id)
        cycles.push(
          cycleIssue(dependencyPath(entry, top.next - 1), [
            ...trail.map(({ id }) => id),
            dependency,
          ]),
        );
      if (known !== undefined || !byId.has(dependency)) continue;
      state.set(dependency, "open");
      trail.push({ id: dependency, next: 0 });
    }
  }
  return { cycles, order };
}

function cycleIssue(path: ProfileIssue["path"], trail: readonly string[]): ProfileIssue {
  const cycle = trail.slice(trail.indexOf(trail.at(-1) ?? ""));
  const left = cycle.length - maxNamed;
  if (left > 0) cycle.splice(maxNamed - 1, left, `${left} more`);
  const message = `The operations wait for each other in a circle: ${cycle.join(" -> ")}.`;
  return { code: "dependency_cycle", path, message };
}

/**
 * Finds operations that can never start on a trigger, because a dependency is disabled or set for the other trigger.
 */
function checkReach(
  { byId, operations }: Graph,
  { hook, trigger, order }: { hook: Hook; trigger: Trigger; order: readonly string[] },
): ProfileIssue[] {
  const runs = ({ config }: ProfileOperation): boolean =>
    config.enabled &&
    config.hooks.includes(hook) &&
    (config.triggers ?? triggers).includes(trigger);
  const canRun = new Set<string>();
  for (const id of order) {
    const operation = byId.get(id);
    if (operation === undefined || !runs(operation)) continue;
    if ((operation.config.dependsOn ?? []).every((at) => canRun.has(at))) canRun.add(id);
  }
  return operations.flatMap((operation) =>
    (runs(operation) ? (operation.config.dependsOn ?? []) : []).flatMap(
      (dependency, at): ProfileIssue[] => {
        if (canRun.has(dependency)) return [];
        const message = `On ${trigger}, ${JSON.stringify(operation.operationId)} can't start in ${hook}: ${JSON.stringify(dependency)} does not run then.`;
        const severity = operation.config.required ? "error" : "warning";
        const path = dependencyPath(operation, at);
        return [{ code: "dependency_unreachable", path, message, severity }];
      },
    ),
  );
}
