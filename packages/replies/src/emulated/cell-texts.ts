import { bocText } from '@shardwalk/api-schema'
import { type Cell, serializeBoc } from '@shardwalk/cells'
import { Pace } from '@shardwalk/concurrency'
import type { EmulatedTrace } from '@shardwalk/emulation'

/** Bytes of code and data in one reply; what exceeds it is left out. */
const MAX_BYTES = 2 * 1024 * 1024

/** Members `code_boc` and `data_boc` of a reply. */
export interface CellTexts {
  /** Bags of cells in base64, by the hash of the root in base64. */
  readonly code: ReadonlyMap<string, string>
  readonly data: ReadonlyMap<string, string>
}

/** Code and data of all states before and after the transactions, each once. */
export async function cellTexts({ transactions }: EmulatedTrace): Promise<CellTexts> {
  const texts = { code: new Map<string, string>(), data: new Map<string, string>() }
  let bytes = 0
  const pace = new Pace()
  const add = (to: Map<string, string>, cell: Cell | undefined) => {
    const hash = cell?.hash().toString('base64')
    if (!cell || hash === undefined || to.has(hash) || bytes > MAX_BYTES) return
    const boc = serializeBoc(cell)
    bytes += boc.length
    if (bytes <= MAX_BYTES) to.set(hash, bocText(boc))
  }
  for (const { before, after } of transactions)
    for (const { code, data } of [before, after]) {
      add(texts.code, code)
      add(texts.data, data)
      await pace.rest()
    }
  return texts
}
