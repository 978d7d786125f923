import * as z from 'zod'
import { BlockId, bytes, Cell, int, object, TransactionId, text, wide } from './parts.ts'

// Results of get-methods.

const NumberEntry = object('TvmStackEntryNumber', 'tvm.stackEntryNumber', {
  number: object('TvmNumberDecimal', 'tvm.numberDecimal', { number: text }),
})
const CellEntry = object('TvmStackEntryCell', 'tvm.stackEntryCell', { cell: Cell })
const SliceEntry = object('TvmStackEntrySlice', 'tvm.stackEntrySlice', {
  slice: object('TvmSlice', 'tvm.slice', { bytes }),
})
const UnsupportedEntry = object('TvmStackEntryUnsupported', 'tvm.stackEntryUnsupported', {})
type StackEntry =
  | z.output<typeof NumberEntry | typeof CellEntry | typeof SliceEntry | typeof UnsupportedEntry>
  | { '@type': 'tvm.stackEntryTuple'; tuple: { '@type': 'tvm.tuple'; elements: StackEntry[] } }
  | { '@type': 'tvm.stackEntryList'; list: { '@type': 'tvm.list'; elements: StackEntry[] } }
const StackEntry: z.ZodType<StackEntry> = z
  .lazy(() => z.union([NumberEntry, CellEntry, SliceEntry, TupleEntry, ListEntry, UnsupportedEntry]))
  .meta({ id: 'TvmStackEntry' })
const Tuple = object('TvmTuple', 'tvm.tuple', { elements: z.array(StackEntry) })
const List = object('TvmList', 'tvm.list', { elements: z.array(StackEntry) })
const TupleEntry = object('TvmStackEntryTuple', 'tvm.stackEntryTuple', { tuple: Tuple })
const ListEntry = object('TvmStackEntryList', 'tvm.stackEntryList', { list: List })

const LegacyCell = z
  .strictObject({
    data: z.strictObject({ b64: bytes, len: int }).meta({ id: 'LegacyTvmCellData' }),
    // biome-ignore lint/plugin: how zod declares recursion, once per process
    get refs() {
      return z.array(LegacyCell)
    },
    special: z.boolean(),
  })
  .meta({ id: 'LegacyTvmCell' })
/** A pair of type and value. */
const LegacyStackEntry = z
  .array(
    z.union([
      text,
      z.strictObject({ bytes, object: LegacyCell }).meta({ id: 'LegacyStackEntryCell' }),
      Tuple,
      List,
    ]),
  )
  .length(2)
  .meta({ id: 'LegacyStackEntry' })
const run = { gas_used: wide, exit_code: int }
/** The stack as pairs of type and value, the form of old clients. */
export const RunResult = object('RunGetMethodResult', 'smc.runResult', {
  ...run,
  stack: z.array(LegacyStackEntry),
  block_id: BlockId,
  last_transaction_id: TransactionId,
})
/** The stack as tonlib has it. */
export const RunResultStd = object('RunGetMethodStdResult', 'smc.runResult', {
  ...run,
  stack: z.array(StackEntry),
})
