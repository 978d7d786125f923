import type { ExitCode } from '@shardwalk/observability'
import type { GroupName } from '@shardwalk/settings'
import type { OptionKinds } from '../command-options.ts'
import type { Context } from '../context.ts'
import { actionsCommand, classifyCommand, reclassifyCommand, traceCommand } from './actions.ts'
import { archiveCommand } from './archive.ts'
import { backfillCommand } from './backfill.ts'
import { recordCommand, replayCommand } from './chain.ts'
import { compactCommand } from './compact.ts'
import { demoCommand } from './demo.ts'
import { exportCommand } from './export.ts'
import { keysCommand } from './keys.ts'
import { metadataCommand } from './metadata.ts'
import { migrateCommand } from './migrate.ts'
import { apiCommand, ingestCommand, repairCommand, verifyCommand } from './processes.ts'
import { databaseUrlCommand, sqlCommand } from './sql.ts'
import { start } from './start.ts'
import { statusCommand } from './status.ts'
import { webhooksCommand } from './webhooks.ts'

/** A command of the command line. */
export interface Command {
  /** Operands, for the help text. */
  readonly usage?: string
  readonly help: string
  /** Groups of settings that it uses, for its help text; default: all. */
  readonly uses?: readonly GroupName[]
  /** Options of its own, beside the flags of settings. */
  readonly options?: OptionKinds
  /**
   * Whether neither data folder nor database is created, and no database migrated.
   * May depend on the operands.
   */
  readonly reads?: boolean | ((operands: readonly string[]) => boolean)
  run(context: Context): Promise<ExitCode>
}

/** All commands in the order of the help text. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  start: {
    help:
      'Run the database, ingest, actions and API in one command until it is stopped. On a terminal it ' +
      'shows progress, warnings and errors; more with --verbose.',
    options: { verbose: ['switch', 'log everything, with migrations and settings'] },
    run: start,
  },
  ingest: ingestCommand,
  api: apiCommand,
  actions: actionsCommand,
  metadata: metadataCommand,
  status: statusCommand,
  migrate: migrateCommand,
  compact: compactCommand,
  archive: archiveCommand,
  backfill: backfillCommand,
  repair: repairCommand,
  verify: verifyCommand,
  reclassify: reclassifyCommand,
  classify: classifyCommand,
  trace: traceCommand,
  record: recordCommand,
  replay: replayCommand,
  demo: demoCommand,
  keys: keysCommand,
  webhooks: webhooksCommand,
  sql: sqlCommand,
  'database-url': databaseUrlCommand,
  export: exportCommand,
}
