import { cellText, tvmCell, V2Refusal } from '@shardwalk/api-schema'
import { lookup, serializeBoc, sliceToCell } from '@shardwalk/cells'
import type { V2Handlers } from './handler.ts'

const MAX_LIBRARIES = 16
const configInfo = (bytes: string) => ({ '@type': 'configInfo', config: tvmCell(bytes) })

export const CONFIGURATION_HANDLERS: V2Handlers<'getConfigParam' | 'getConfigAll' | 'getLibraries'> = {
  async getConfigParam({ blocks, configuration }, { config_id, param, seqno }) {
    const index = config_id ?? param
    if (index === undefined)
      throw new V2Refusal('only one of config_id or param should be specified', 'validate')
    const config = await configuration.at(await blocks.masterchain(seqno))
    const value = lookup(config.root.clone(), 32, index)
    // A parameter that is not set is returned as an empty string.
    return configInfo(value ? cellText(value.loadRefCell()) : '')
  },

  async getConfigAll({ blocks, configuration }, { seqno }) {
    const config = await configuration.at(await blocks.masterchain(seqno))
    return configInfo(cellText(sliceToCell(config.root)))
  },

  async getLibraries({ configuration }, { libraries }) {
    if (libraries.length > MAX_LIBRARIES)
      throw new V2Refusal(
        'INVALID_FIELD: Field library_list has invalid value : too many libraries requested, ' +
          `${MAX_LIBRARIES} maximum`,
        'plain',
      )
    const hashes = [...new Map(libraries.map((hash) => [hash.toString('hex'), hash])).entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, hash]) => hash)
    const cells = await Promise.all(hashes.map((hash) => configuration.library(hash)))
    const result = cells.flatMap((cell) =>
      cell
        ? [
            {
              '@type': 'smc.libraryEntry',
              hash: cell.hash().toString('base64'),
              data: serializeBoc(cell).toString('base64'),
            },
          ]
        : [],
    )
    return { '@type': 'smc.libraryResult', result }
  },
}
