/** A pooled connection, with the methods of a `pg` client that are used. */
export interface PostgresConnection {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  /** True closes the connection. Otherwise it returns to the pool. */
  release(destroy?: boolean): void;
}

/** A pool, with the methods of `pg` that are used. */
export interface PostgresPool {
  connect(): Promise<PostgresConnection>;
}

/** Where DBOS writes its log. */
export interface DbosLogger {
  info(entry: unknown): void;
  debug(entry: unknown): void;
  warn(entry: unknown): void;
  error(entry: unknown): void;
}

/** The settings of DBOS that a worker passes. */
interface DbosSettings {
  name: string;
  systemDatabasePool?: PostgresPool;
  systemDatabaseSchemaName?: string;
  executorID?: string;
  applicationVersion?: string;
  logger?: DbosLogger;
  enableOTLP?: boolean;
  tracingEnabled?: boolean;
  useListenNotify?: boolean;
}

/** Which workflows to list. */
interface DbosWorkflowQuery {
  workflowIDs: string[];
  loadInput?: boolean;
  loadOutput?: boolean;
}

/** How a step is retried. */
interface DbosStepOptions {
  name?: string;
  retriesAllowed?: boolean;
  intervalSeconds?: number;
  backoffRate?: number;
  maxAttempts?: number;
}

/** A registered workflow. It executes the run with that id. */
export type DbosWorkflow = (runId: string) => Promise<string>;

/** What an executor needs from the class `DBOS` of `@dbos-inc/dbos-sdk` 5. */
export interface DbosWorkflows {
  isInitialized(): boolean;
  registerWorkflow(workflow: DbosWorkflow, options: { name: string }): DbosWorkflow;
  startWorkflow(
    workflow: DbosWorkflow,
    options: { workflowID: string },
  ): (runId: string) => Promise<unknown>;
  runStep<T>(step: () => Promise<T>, options: DbosStepOptions): Promise<T>;
  /** Of the calling step. The signal aborts when its workflow is cancelled. */
  readonly stepStatus: { readonly cancelSignal: AbortSignal } | undefined;
  listWorkflows(query: DbosWorkflowQuery): Promise<{ readonly status: string }[]>;
  resumeWorkflows(workflowIds: string[]): Promise<unknown>;
}

/** What a worker needs from the class. */
export interface DbosSdk extends DbosWorkflows {
  setConfig(settings: DbosSettings): void;
  launch(): Promise<void>;
  shutdown(options?: { workflowCompletionTimeoutMS?: number }): Promise<void>;
}
