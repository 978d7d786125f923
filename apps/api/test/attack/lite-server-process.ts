// Serves the recorded chain as a lite server and sends its global config to the parent process.
import { startReplay } from '@shardwalk/replay'
import { FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'

process.once('disconnect', () => process.exit())
const { globalConfig } = await startReplay({ recording: FIXTURE_CHAIN_FOLDER })
process.send!(globalConfig)
