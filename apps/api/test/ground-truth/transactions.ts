import { beginCell, type Cell, Dictionary, loadTransaction, type Slice, type Transaction } from '@ton/core'
import { base64, currencies, description, type Expected } from './description.ts'
import { type ExpectedBlock, type ExpectedTransaction, type Messages, shardHex } from './expected-chain.ts'
import { readMessage } from './messages.ts'

const STATUS = {
  uninitialized: 'uninit',
  frozen: 'frozen',
  active: 'active',
  'non-existing': 'nonexist',
} as const

/** block.tlb `ShardAccountBlocks`: leaves are extra (a currency collection), then `acc_trans#5`. */
export function transactionCells(extra: Cell): Cell[] {
  const skipCurrencies = (s: Slice) => {
    s.loadCoins()
    s.loadMaybeRef()
  }
  const transaction = {
    serialize: () => {},
    parse: (s: Slice) => {
      skipCurrencies(s)
      return s.loadRef()
    },
  }
  const account = {
    serialize: () => {},
    parse: (s: Slice) => {
      skipCurrencies(s)
      s.skip(4 + 256)
      return [...s.loadDictDirect(Dictionary.Keys.BigUint(64), transaction).values()]
    },
  }
  const accounts = extra.refs[2]!.beginParse().loadDict(Dictionary.Keys.BigUint(256), account)
  return [...accounts.values()].flat()
}

/** block.tlb `transaction$0111`. What only its JSON needs is read when that is asked for. */
export function readTransaction(cell: Cell, block: ExpectedBlock, messages: Messages): ExpectedTransaction {
  const head = cell.beginParse().skip(4)
  const account = `${block.workchain}:${head.loadBuffer(32).toString('hex').toUpperCase()}`
  const lt = head.loadUintBig(64)
  const now = head.skip(256 + 64).loadUint(32)
  const parts = cell.refs[0]!.beginParse()
  const inCell = parts.loadMaybeRef()
  const outCells = [...parts.loadDict(Dictionary.Keys.Uint(15), Dictionary.Values.Cell())].sort(
    (a, b) => a[0] - b[0],
  )
  const inMsg = inCell ? readMessage(inCell, messages) : undefined
  const outMsgs = outCells.map(([, one]) => readMessage(one, messages))
  const own = { account, hash: cell.hash(), lt, now, block, inMsg, outMsgs }
  const tx: ExpectedTransaction = {
    ...own,
    get json() {
      return jsonOf(cell, own)
    },
  }
  if (inMsg) inMsg.inTx = greater(inMsg.inTx, tx)
  for (const message of outMsgs) message.outTx = tx
  return tx
}

function jsonOf(cell: Cell, { account, block, inMsg, outMsgs }: Omit<ExpectedTransaction, 'json'>): Expected {
  const { transaction: t, suspended } = load(cell)
  return {
    account,
    hash: base64(cell.hash()),
    lt: String(t.lt),
    now: t.now,
    mc_block_seqno: block.mcBlockSeqno,
    prev_trans_hash: base64(Buffer.from(t.prevTransactionHash.toString(16).padStart(64, '0'), 'hex')),
    prev_trans_lt: String(t.prevTransactionLt),
    orig_status: STATUS[t.oldStatus],
    end_status: STATUS[t.endStatus],
    total_fees: String(t.totalFees.coins),
    total_fees_extra_currencies: currencies(t.totalFees.other),
    description: suspended
      ? { ...description(t), compute_ph: { skipped: true, reason: 'suspended' } }
      : description(t),
    block_ref: { workchain: block.workchain, shard: shardHex(block.shard), seqno: block.seqno },
    in_msg: inMsg?.json ?? null,
    out_msgs: outMsgs.map((m) => m.json),
    emulated: false,
    finality: 'finalized',
  }
}

/**
 * `@ton/core` does not support `cskip_suspended$110`, so such a transaction is read as if it had
 * `cskip_no_gas$10`.
 */
function load(cell: Cell): { transaction: Transaction; suspended: boolean } {
  try {
    return { transaction: loadTransaction(cell.beginParse()), suspended: false }
  } catch {
    const description = cell.refs.at(-1)!
    const s = description.beginParse()
    s.skip(5)
    if (s.loadBit()) {
      s.loadCoins()
      if (s.loadBit()) s.loadCoins()
      if (s.loadBit()) s.skip(1)
    }
    if (s.loadBit()) {
      if (s.loadBit()) s.loadCoins()
      s.loadCoins()
      s.loadMaybeRef()
    }
    const before = description.bits.length - s.remainingBits
    if (s.loadUint(4) !== 0b0110) throw new Error('not a suspended account')
    const patched = beginCell()
      .storeBits(description.bits.substring(0, before))
      .storeUint(0b010, 3)
      .storeSlice(s)
    const refs = description.refs.slice(0, description.refs.length - s.remainingRefs)
    for (const ref of refs) patched.storeRef(ref)
    const whole = beginCell().storeBits(cell.bits)
    for (const ref of [...cell.refs.slice(0, -1), patched.endCell()]) whole.storeRef(ref)
    return { transaction: loadTransaction(whole.endCell().beginParse()), suspended: true }
  }
}

/** If an external message was received several times, the transaction with the greatest hash counts. */
const greater = (a: ExpectedTransaction | undefined, b: ExpectedTransaction) =>
  a && Buffer.compare(a.hash, b.hash) > 0 ? a : b
