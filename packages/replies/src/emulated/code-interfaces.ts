import type { Cell } from '@shardwalk/cells'
import { interfacesOf, methodIdsOf } from '@shardwalk/contracts'

const MAX_CODES = 1_000

const known = new Map<string, readonly string[]>()

/** Interfaces of a contract by its code. */
export function interfacesOfCode(code: Cell): readonly string[] {
  const codeHash = code.hash()
  const key = codeHash.toString('latin1')
  const found = known.get(key) ?? interfacesOf({ codeHash, methods: methodIdsOf(code) ?? [] })
  known.set(key, found)
  if (known.size > MAX_CODES) known.delete(known.keys().next().value!)
  return found
}
