import { Cell, Dictionary, loadTransaction, type TupleItem } from '@ton/core'
import { expect } from 'vitest'

// Values that @ton/core reads from the bytes in replies of API v2.

export type Json = Record<string, unknown>

export const hashOf = (boc: unknown): string =>
  Cell.fromBase64(boc as string)
    .hash()
    .toString('hex')

/**
 * Root hashes of the tops, read by @ton/core. Source: block.tlb `ShardHashes`, `shard_descr#b`,
 * `shard_descr_new#a`.
 */
export function shardRoots(cell: Cell): string[] {
  const workchains = cell.beginParse().loadDict(Dictionary.Keys.Int(32), {
    serialize: () => {
      throw new Error('is read only')
    },
    parse: (slice) => leaves(slice.loadRef()),
  })
  return [...workchains.values()].flat()
}

function leaves(tree: Cell): string[] {
  const slice = tree.beginParse()
  if (slice.loadBit()) return [...leaves(slice.loadRef()), ...leaves(slice.loadRef())]
  // Tag, seqno, registered at, start_lt, end_lt.
  return [
    slice
      .skip(4 + 32 + 32 + 64 + 64)
      .loadBuffer(32)
      .toString('base64'),
  ]
}

export interface Listed {
  readonly data: string
  readonly utime: number
  readonly fee: string
  readonly transaction_id: { readonly lt: string; readonly hash: string }
  readonly in_msg?: { readonly hash: string; readonly value: string; readonly created_lt: string }
  readonly out_msgs: readonly { readonly hash: string }[]
}

/** Compares the fields of a transaction with those that @ton/core reads from its cell. */
export function sameAsCore(shown: Listed): void {
  const cell = Cell.fromBase64(shown.data)
  const transaction = loadTransaction(cell.beginParse())
  const { inMessage, outMessages } = transaction
  expect(shown).toMatchObject({
    utime: transaction.now,
    transaction_id: { lt: String(transaction.lt), hash: cell.hash().toString('base64') },
  })
  // In and out messages are cells in the first reference; their hashes are those of the cells.
  const parts = cell.refs[0]!.beginParse()
  const inCell = parts.loadBit() ? parts.loadRef() : undefined
  expect(shown.in_msg?.hash).toBe(inCell?.hash().toString('base64'))
  if (inMessage?.info.type === 'internal')
    expect(shown.in_msg).toMatchObject({
      value: String(inMessage.info.value.coins),
      created_lt: String(inMessage.info.createdLt),
    })
  expect(shown.out_msgs).toHaveLength(outMessages.size)
}

export const boc = (cell: Cell): string => cell.toBoc().toString('base64')

export function legacyEntry(item: TupleItem): unknown {
  if (item.type === 'int') return ['num', String(item.value)]
  if (item.type === 'slice' || item.type === 'cell')
    return [`tvm.${item.type === 'cell' ? 'Cell' : 'Slice'}`, boc(item.cell)]
  throw new Error(`an argument of type ${item.type}`)
}

export function typedEntry(item: TupleItem): unknown {
  if (item.type === 'int')
    return {
      '@type': 'tvm.stackEntryNumber',
      number: { '@type': 'tvm.numberDecimal', number: String(item.value) },
    }
  if (item.type === 'slice')
    return { '@type': 'tvm.stackEntrySlice', slice: { '@type': 'tvm.slice', bytes: boc(item.cell) } }
  if (item.type === 'cell')
    return { '@type': 'tvm.stackEntryCell', cell: { '@type': 'tvm.cell', bytes: boc(item.cell) } }
  throw new Error(`an argument of type ${item.type}`)
}

/** A typed entry of a reply, with cells as hashes. */
export function plain(entry: Json): unknown {
  switch (entry['@type']) {
    case 'tvm.stackEntryNumber':
      return String((entry['number'] as Json)['number'])
    case 'tvm.stackEntryCell':
      return hashOf((entry['cell'] as Json)['bytes'])
    case 'tvm.stackEntrySlice':
      return hashOf((entry['slice'] as Json)['bytes'])
    case 'tvm.stackEntryTuple':
      return ((entry['tuple'] as Json)['elements'] as Json[]).map(plain)
    case 'tvm.stackEntryList':
      return (entry['list'] as { elements: Json[] }).elements.map(plain)
    default:
      return entry['@type']
  }
}

/** Same for the results of a node, where lists are pairs. */
export function plainItem(item: TupleItem): unknown {
  if (item.type === 'int') return String(item.value)
  if (item.type === 'cell' || item.type === 'slice') return item.cell.hash().toString('hex')
  if (item.type === 'null') return []
  if (item.type === 'nan' || item.type === 'builder') return 'tvm.stackEntryUnsupported'
  const [head, tail] = item.items
  const rest = item.items.length === 2 && tail ? listTail(tail) : undefined
  return rest ? [plainItem(head!), ...rest] : item.items.map(plainItem)
}

function listTail(item: TupleItem): unknown[] | undefined {
  if (item.type === 'null') return []
  if (item.type !== 'tuple' || item.items.length !== 2) return undefined
  const rest = listTail(item.items[1]!)
  return rest && [plainItem(item.items[0]!), ...rest]
}
