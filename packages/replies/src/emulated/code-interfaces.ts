import type { Cell } from '@shardwalk/cells'
import { interfacesOf, methodIdsOf } from '@shardwalk/contracts'
import { RecentMap } from '@shardwalk/model'

const MAX_CODES = 1_000

const known = new RecentMap<string, readonly string[]>(MAX_CODES)

/** Interfaces of a contract by its code. */
export function interfacesOfCode(code: Cell): readonly string[] {
  const codeHash = code.hash()
  const key = codeHash.toString('latin1')
  const found = known.get(key) ?? interfacesOf({ codeHash, methods: methodIdsOf(code) ?? [] })
  known.set(key, found)
  return found
}
