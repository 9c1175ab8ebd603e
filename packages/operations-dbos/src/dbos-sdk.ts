/** A pooled connection, with the `pg` client methods used here. */
export interface PostgresConnection {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  /** If true, closes the connection. Otherwise returns it to the pool. */
  release(destroy?: boolean): void;
}

/** A pool, with the `pg` methods used here. */
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

/** DBOS settings passed by a worker. */
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

/** How to retry a step. */
interface DbosStepOptions {
  name?: string;
  retriesAllowed?: boolean;
  intervalSeconds?: number;
  backoffRate?: number;
  maxAttempts?: number;
}

/** A registered workflow. Executes the run with the given id. */
export type DbosWorkflow = (runId: string) => Promise<string>;

/** What an executor uses from the class `DBOS` of `@dbos-inc/dbos-sdk` 5. */
export interface DbosWorkflows {
  isInitialized(): boolean;
  registerWorkflow(workflow: DbosWorkflow, options: { name: string }): DbosWorkflow;
  startWorkflow(
    workflow: DbosWorkflow,
    options: { workflowID: string },
  ): (runId: string) => Promise<unknown>;
  runStep<T>(step: () => Promise<T>, options: DbosStepOptions): Promise<T>;
  /** Status of the calling step. The signal aborts when its workflow is cancelled. */
  readonly stepStatus: { readonly cancelSignal: AbortSignal } | undefined;
  listWorkflows(query: DbosWorkflowQuery): Promise<{ readonly status: string }[]>;
  resumeWorkflows(workflowIds: string[]): Promise<unknown>;
}

/** What a worker uses from the class. */
export interface DbosSdk extends DbosWorkflows {
  setConfig(settings: DbosSettings): void;
  launch(): Promise<void>;
  shutdown(options?: { workflowCompletionTimeoutMS?: number }): Promise<void>;
}
