import { parseAddress, parseBoc } from '@shardwalk/cells'
import { type Db, readNetworkConfig } from '@shardwalk/db'
import { type ConfigParams, isSuspended, namesSuspended } from '@shardwalk/tlb'
import { findIndexedEnds } from '../blocks/index.ts'
import { sharedBy } from '../connections/keep-plans.ts'

/** Configurations change with key blocks, hours apart. Milliseconds. */
const KEPT_MS = 60_000

type Config = Pick<ConfigParams, 'root'>

interface Known {
  readonly readAt: number
  /** Undefined: the network suspends nothing, or its configuration is not known yet. */
  readonly config: Config | undefined
}

const known = new WeakMap<object, Known>()

/**
 * Those of the addresses that the configuration keeps from being used at the time of the newest indexed
 * block. `addresses` are asked for only if the network suspends any.
 */
export async function findSuspended(
  db: Db,
  addresses: () => Promise<readonly string[]>,
): Promise<ReadonlySet<string>> {
  const config = await knownConfig(db)
  if (!config) return new Set()
  const at = (now: number) => (text: string) => {
    const address = parseAddress(text)
    return address !== undefined && isSuspended(config, address, now)
  }
  // Few are: the time, which costs a query, is asked for only if one was ever suspended.
  const listed = (await addresses()).filter(at(0))
  if (listed.length === 0) return new Set()
  const ends = await findIndexedEnds(db)
  return new Set(ends && listed.filter(at(ends.last.gen_utime)))
}

/** As of a minute ago at most. */
async function knownConfig(db: Db): Promise<Config | undefined> {
  const key = sharedBy(db)
  const last = known.get(key)
  if (last && performance.now() - last.readAt < KEPT_MS) return last.config
  const config = await readConfig(db)
  known.set(key, { readAt: performance.now(), config })
  return config
}

async function readConfig(db: Db): Promise<Config | undefined> {
  const network = await readNetworkConfig(db)
  if (!network) return undefined
  const bag = parseBoc(network.boc)
  const config = { root: bag.slice(bag.root) }
  return namesSuspended(config) ? config : undefined
}
