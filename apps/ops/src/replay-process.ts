// Serves a recorded chain as a lite server and sends the global config to the parent process.
import { beginProcess } from '@shardwalk/observability'
import { startReplay } from '@shardwalk/replay'
import { readProcessSettings } from './context.ts'
import type { ChildMessage } from './messages.ts'

const { settings } = readProcessSettings()
const { log, shutdown } = beginProcess('replay', settings)

const replay = await startReplay({
  recording: settings.network,
  port: Number(process.env['REPLAY_PORT'] ?? 0),
  speed: settings.replaySpeed || undefined,
  nonfinal: true,
  onError: (error) => log.error('query not answered', { error }),
})
shutdown.onShutdown('replay server', () => replay.close())
log.info('recorded chain served', { host: replay.host, port: replay.port })
const message: ChildMessage = { type: 'serving', config: replay.globalConfig }
process.send?.(message)
