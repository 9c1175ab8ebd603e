import type { OperationRegistry } from "./registered-operation.ts";
import { writtenTag } from "./written-tag.ts";
import type { OperationProfile, ProfileOperation } from "./operation-profile.ts";
import type { ProfileIssue } from "./profile-issue.ts";

/** Warns of conditions on tags that another operation of the hook writes without being a dependency. */
export function checkConditions(
  { operations }: OperationProfile,
  registry: OperationRegistry,
): ProfileIssue[] {
  const byId = new Map(operations.map((operation) => [operation.operationId, operation]));
  const writers = new Map<string, ProfileOperation>();
  for (const operation of operations) {
    const definition = registry.find(operation.operationId)?.definition;
    const tag = definition && writtenTag(definition, operation.config);
    if (tag !== undefined) writers.set(tag, operation);
  }
  return operations.flatMap(({ operationId, config }, index) =>
    (config.when ?? []).flatMap(({ ref }, at): ProfileIssue[] => {
      const tag = ref.split(".")[1] ?? "";
      const writer = writers.get(tag);
      const hook = config.hooks.find((one) => writer?.config.hooks.includes(one));
      if (writer === undefined || hook === undefined || writer.operationId === operationId)
        return [];
      if (waitsFor(byId, operationId, writer.operationId)) return [];
      const [name, other] = [JSON.stringify(operationId), JSON.stringify(writer.operationId)];
      const message = `${name} looks at art.${tag} as it was when ${hook} began, although ${other} writes it there; let it depend on ${other} to see the new value.`;
      const path = ["operations", index, "config", "when", at, "ref"];
      return [{ code: "unawaited_condition", path, message, severity: "warning" }];
    }),
  );
}

function waitsFor(
  byId: ReadonlyMap<string, ProfileOperation>,
  operationId: string,
  wanted: string,
): boolean {
  const seen = new Set([operationId]);
  for (const id of seen) {
    for (const dependency of byId.get(id)?.config.dependsOn ?? []) seen.add(dependency);
    if (seen.has(wanted)) return true;
  }
  return false;
}
