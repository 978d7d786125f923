import { checkFiles } from '../check-files.ts'
import { asWriter } from '../operators-database.ts'
import { CommandError } from '../outcome.ts'
import { runForeground } from '../process.ts'
import { WATCHED } from '../silence.ts'
import type { Command } from './index.ts'

/** The program of the process, relative to the repository. */
export const METADATA_PROCESS = 'apps/metadata/src/main.ts'

export const metadataCommand: Command = {
  uses: ['Storage', 'Token metadata', 'Logs'],
  help:
    'Run only the process that fetches off-chain metadata of tokens, using DATABASE_URL. ' +
    'METADATA_FETCH must be on. Several may share a database.',
  async run(context) {
    if (!context.settings.metadataFetch)
      throw new CommandError(
        'METADATA_FETCH is off; set it to on to allow connections to servers that are chosen by contracts',
      )
    await checkFiles(context.settings, ['metadataOverrides'])
    return asWriter(context, (env) => runForeground(METADATA_PROCESS, [], env, WATCHED))
  },
}
