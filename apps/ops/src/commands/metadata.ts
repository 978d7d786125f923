import { toEnvironment } from '@shardwalk/settings'
import { joinDatabase, migrateDatabase } from '../database.ts'
import { CommandError } from '../outcome.ts'
import { runForeground } from '../process.ts'
import type { Command } from './index.ts'

export const METADATA_PROCESS = 'apps/metadata/src/main.ts'

export const metadataCommand: Command = {
  help: 'Only the process that fetches off-chain metadata of tokens, against DATABASE_URL; METADATA_FETCH must be on. Several may run against one database.',
  async run(context) {
    if (!context.settings.metadataFetch)
      throw new CommandError(
        'METADATA_FETCH is off; set it to on: this process talks to servers that contracts name',
      )
    const database = await joinDatabase(context)
    try {
      await migrateDatabase(database.url)
      return await runForeground(
        METADATA_PROCESS,
        [],
        toEnvironment({ ...context.settings, databaseUrl: database.url }),
      )
    } finally {
      await database.stop()
    }
  },
}
