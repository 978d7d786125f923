import { EXIT } from '@shardwalk/observability'
import { joinDatabase, migrateDatabase } from '../database.ts'
import type { Command } from './index.ts'

export const migrateCommand: Command = {
  help: 'Migrate the database to this version. Ingest and API refuse to run on another version.',
  async run(context) {
    const database = await joinDatabase(context)
    try {
      const done = await migrateDatabase(database.url)
      console.log(done.length === 0 ? 'The database is up to date.' : `Migrated: ${done.join(', ')}`)
      return EXIT.done
    } finally {
      await database.stop()
    }
  },
}
