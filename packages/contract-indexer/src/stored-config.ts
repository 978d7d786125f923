import { type Cell, serializeBoc } from '@shardwalk/cells'
import { slimConfig } from '@shardwalk/tvm'

/** Parameters that the API reads: 44 suspended addresses. */
const FOR_API = [44]

/** What is stored of a configuration for other processes. */
export const storedConfig = (config: Cell): Buffer => serializeBoc(slimConfig(config, FOR_API))
