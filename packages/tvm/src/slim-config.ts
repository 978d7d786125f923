import { buildDict, type Cell, lookup } from '@shardwalk/cells'

/**
 * Parameters that getters need: without them newer instructions throw (exit codes 6 and 7) and fees are
 * missing. 8 global version, 18 storage prices, 19 id of the network, 20 and 21 gas prices, 24 and 25 message
 * prices, 43 size limits.
 */
const KEPT = [8, 18, 19, 20, 21, 24, 25, 43]

/**
 * The part of a configuration (`Hashmap 32 ^Cell`) used by getters of wallets, tokens and sales; shortens
 * parsing. `also`: numbers of further parameters.
 */
export function slimConfig(config: Cell, also: readonly number[] = []): Cell {
  const root = config.slice()
  const entries = [...KEPT, ...also].flatMap((parameter) => {
    const value = lookup(root.clone(), 32, parameter)
    return value ? ([[BigInt(parameter), value]] as const) : []
  })
  return buildDict(entries, 32) ?? config
}
