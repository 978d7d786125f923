import { parseBoc } from '@shardwalk/cells'
import { type DecodedMessage, type DecodedTransaction, DecodeError, formatRawAddress } from '@shardwalk/model'
import {
  forEachInMsg,
  forEachOutMsg,
  forEachShardAccount,
  loadShardFees,
  loadShardState,
  loadValueFlow,
  type ShardAccount,
} from '@shardwalk/tlb'
import { describe, expect, test } from 'vitest'
import { decodeBlock, decodeSkeleton, openBlock } from '../src/index.ts'
import {
  type BlockEntry,
  blockIndex,
  fixture,
  fixtureJson,
  hex,
  rawBlock,
  rawBlockOf,
  toId,
} from './fixtures.ts'

interface TxsJson {
  readonly accounts: readonly {
    readonly account: string
    readonly old_hash: string
    readonly new_hash: string
  }[]
  readonly transactions: readonly object[]
}

/** Hash of the cell `account_none$0`. */
const NO_ACCOUNT = '90aec8965afabb16ebc3cb9b408ebae71b618d78788bc80d09843593cac98da4'

const rawLower = (tx: DecodedTransaction) => formatRawAddress(tx.account).toLowerCase()
const STATUS = {
  uninit: 'uninitialized',
  frozen: 'frozen',
  active: 'active',
  nonexist: 'non-existing',
} as const
const KIND = { internal: 'internal', external_in: 'external-in', external_out: 'external-out' } as const
const messageSummary = (message: DecodedMessage) => ({ hash: hex(message.hash), type: KIND[message.kind] })

/** A transaction in the form of the ground truth. */
function summary(tx: DecodedTransaction) {
  const compute = tx.description.computePhase!
  return {
    account: rawLower(tx),
    lt: String(tx.lt),
    hash: hex(tx.hash),
    now: tx.now,
    prev_trans_lt: String(tx.prevTransLt),
    prev_trans_hash: hex(tx.prevTransHash),
    total_fees: String(tx.totalFees),
    orig_status: STATUS[tx.origStatus],
    end_status: STATUS[tx.endStatus],
    descr: tx.description.kind === 'ord' ? 'generic' : 'tick-tock',
    compute: compute.skipped
      ? { skipped: compute.reason.replace('_', '-') }
      : { exit_code: compute.exitCode, gas_used: String(compute.gasUsed) },
    aborted: tx.description.aborted,
    in_msg: tx.inMsg ? messageSummary(tx.inMsg) : null,
    out_msgs: tx.outMsgs.map(messageSummary),
  }
}

describe.each(blockIndex)('$file', (entry: BlockEntry) => {
  const raw = rawBlock(entry)
  const block = decodeBlock(raw)
  const expected = fixtureJson<TxsJson>(entry.file.replace('.boc', '.txs.json'))

  test('has the transactions and messages of the ground truth', () => {
    expect(block.transactions.map(summary)).toEqual(expected.transactions)
    const messages = block.transactions.flatMap((tx) => [...(tx.inMsg ? [tx.inMsg] : []), ...tx.outMsgs])
    expect(new Set(messages.map((message) => hex(message.hash))).size).toBe(entry.distinct_messages)
  })

  test('has the header, predecessors and shard tops of the index', () => {
    const { header } = block
    expect(header).toMatchObject({
      globalId: entry.global_id,
      vertSeqno: entry.vert_seq_no,
      genUtime: entry.gen_utime,
      startLt: BigInt(entry.start_lt),
      endLt: BigInt(entry.end_lt),
      genCatchainSeqno: entry.gen_catchain_seqno,
      validatorListHashShort: entry.gen_validator_list_hash_short,
      afterMerge: entry.flags['after_merge'] === true,
      afterSplit: entry.flags['after_split'] === true,
      beforeSplit: entry.flags['before_split'] === true,
      wantSplit: entry.flags['want_split'] === true,
      wantMerge: entry.flags['want_merge'] === true,
      keyBlock: entry.flags['key_block'] === true,
      masterRefSeqno: entry.master_ref?.seqno ?? 0,
    })
    expect(header.genSoftware?.version ?? null).toBe(entry.global_version)
    expect(block.prev).toEqual(entry.prev.map(toId))
    expect(block.shardTops?.length).toBe(entry.shards?.length)
    for (const [i, top] of (block.shardTops ?? []).entries()) {
      const { start_lt, end_lt, gen_utime, ...id } = entry.shards![i]!
      expect(top).toMatchObject({
        ...toId(id),
        startLt: BigInt(start_lt),
        endLt: BigInt(end_lt),
        genUtime: gen_utime,
      })
    }
  })

  test('ends every account in the state that its last transaction names', () => {
    const lastOf = new Map(block.transactions.map((tx) => [rawLower(tx), tx]))
    expect([...lastOf.keys()]).toEqual(expected.accounts.map(({ account }) => account))
    for (const { account, old_hash, new_hash } of expected.accounts) {
      const own = block.transactions.filter((tx) => rawLower(tx) === account)
      expect(hex(own[0]!.stateHashBefore)).toBe(old_hash)
      expect(hex(own.at(-1)!.stateHashAfter)).toBe(new_hash)
      expect(own.map((tx) => tx.stateAfter !== undefined)).toEqual(own.map((_, i) => i === own.length - 1))
      expect(own.at(-1)!.stateAfter!.status).toBe(own.at(-1)!.endStatus)
    }
    const after = loadShardState(openBlock(raw).stateUpdate.clone().preloadRefSlice(1))
    const shown = new Map<string, string>()
    const collect = (account: ShardAccount, id: Buffer) =>
      void shown.set(hex(id), hex(account.account.refHash(0, 0)))
    forEachShardAccount(after, collect, { pruned: 'skip' })
    for (const { account, new_hash } of expected.accounts)
      expect(shown.get(account.split(':')[1]!) ?? NO_ACCOUNT).toBe(new_hash)
  })

  test('gives bodies, inits, code and data whose cells have the stated hashes', () => {
    const check = (boc: Buffer | undefined, expectedHash: Buffer | undefined) => {
      if (boc === undefined) return
      const bag = parseBoc(boc)
      expect(bag.hash(bag.root)).toEqual(expectedHash)
    }
    for (const tx of block.transactions) {
      check(tx.stateAfter?.code, tx.stateAfter?.codeHash)
      check(tx.stateAfter?.data, tx.stateAfter?.dataHash)
      for (const message of [...(tx.inMsg ? [tx.inMsg] : []), ...tx.outMsgs]) {
        check(message.body, message.bodyHash)
        check(message.initState, message.initStateHash)
      }
    }
  })

  test('numbers out messages from lt + 1', () => {
    for (const tx of block.transactions)
      expect(tx.outMsgs.map((message) => message.createdLt)).toEqual(
        tx.outMsgs.map((_, i) => tx.lt + 1n + BigInt(i)),
      )
  })

  test('decodes the same when every hash is recomputed', () => {
    expect(decodeBlock(raw, { verify: 'cells' })).toEqual(block)
    expect(decodeSkeleton(raw)).toEqual({ ...block, transactions: undefined })
  })

  test('has the message descriptors of the index', () => {
    const { extra } = openBlock(raw)
    const count = (counts: Record<string, number>, kind: string) => {
      counts[kind] = (counts[kind] ?? 0) + 1
    }
    const imported: Record<string, number> = {}
    forEachInMsg(extra.inMsgDescr, (inMsg) => count(imported, inMsg.kind))
    expect(imported).toEqual(entry.in_msg_descr)
    const exported: Record<string, number> = {}
    forEachOutMsg(extra.outMsgDescr, (outMsg) => count(exported, outMsg.kind))
    expect(exported).toEqual(entry.out_msg_descr)
  })
})

test.each(blockIndex.filter((entry) => entry.workchain === -1))(
  '$file: shard fees add up to the imports of the value flow',
  (entry) => {
    const { mcExtra, valueFlow } = openBlock(rawBlock(entry))
    const total = loadShardFees(mcExtra!).reduce((sum, { fees }) => sum + fees.grams, 0n)
    expect(total).toBe(loadValueFlow(valueFlow.clone()).feesImported.grams)
  },
)

interface ExpectedJson {
  readonly Accounts: Readonly<
    Record<string, { readonly Transactions: Readonly<Record<string, Record<string, string | number>>> }>
  >
  readonly TxHashes: readonly string[] | null
  readonly ValueFlow: Readonly<
    Record<string, { readonly Grams: string; readonly Other: Readonly<Record<string, string>> } | null>
  >
  readonly InMsgDescrLength: number
  readonly OutMsgDescrLength: number
}

test.each([
  'mainnet_0_8000000000000000_30816553',
  'mainnet_0_8000000000000000_40484416',
  'mainnet_0_0d83800000000000_4168601',
])('%s agrees with the expectation of another indexer', (name) => {
  const raw = rawBlockOf(`${name}.boc`)
  const expected = fixtureJson<ExpectedJson>(`${name}.expected.json`)
  const { transactions } = decodeBlock(raw)
  expect(transactions.map((tx) => hex(tx.hash)).sort()).toEqual(expected.TxHashes ?? [])
  for (const tx of transactions) {
    const found = expected.Accounts[hex(tx.account.hash)]!.Transactions[String(tx.lt)]!
    expect(found).toMatchObject({
      Now: tx.now,
      OutMsgCnt: tx.outMsgs.length,
      PrevTransHash: hex(tx.prevTransHash),
    })
  }
  const open = openBlock(raw)
  const flow = loadValueFlow(open.valueFlow.clone())
  for (const [key, value] of Object.entries(flow)) {
    const wanted = expected.ValueFlow[key[0]!.toUpperCase() + key.slice(1)]!
    expect(String(value.grams)).toBe(wanted.Grams)
    expect(Object.fromEntries([...(value.extra ?? [])].map(([id, amount]) => [id, String(amount)]))).toEqual(
      wanted.Other,
    )
  }
  let inMsgs = 0
  forEachInMsg(open.extra.inMsgDescr, () => inMsgs++)
  let outMsgs = 0
  forEachOutMsg(open.extra.outMsgDescr, () => outMsgs++)
  expect([inMsgs, outMsgs]).toEqual([expected.InMsgDescrLength, expected.OutMsgDescrLength])
})

interface AccountsJson {
  readonly accounts: readonly {
    readonly account: string
    readonly new_account_hash: string
    readonly new_balance: string
    readonly new_status: string
    readonly new_code_hash: string
    readonly new_data_hash: string
    readonly in_block: { readonly code: string; readonly data: string }
  }[]
}

test('the states of 71398501 come from the block alone, with code and data where complete', () => {
  const block = decodeBlock(rawBlockOf('mainnet_0_8000000000000000_71398501.boc'))
  const states = new Map(block.transactions.filter((tx) => tx.stateAfter).map((tx) => [rawLower(tx), tx]))
  const { accounts } = fixtureJson<AccountsJson>('mainnet_0_8000000000000000_71398501.accounts.json')
  expect(states.size).toBe(accounts.length)
  for (const wanted of accounts) {
    const tx = states.get(wanted.account)!
    const state = tx.stateAfter!
    expect(hex(tx.stateHashAfter)).toBe(wanted.new_account_hash)
    expect(state).toMatchObject({ status: wanted.new_status, balance: BigInt(wanted.new_balance) })
    expect(hex(state.codeHash!)).toBe(wanted.new_code_hash)
    expect(hex(state.dataHash!)).toBe(wanted.new_data_hash)
    expect(state.code !== undefined).toBe(wanted.in_block.code !== 'pruned')
    expect(state.data !== undefined).toBe(wanted.in_block.data === 'present')
  }
})

test('an account deleted in a block ends as nonexist without other fields', () => {
  const block = decodeBlock(rawBlockOf('everscale_0_8000000000000000_31806148.boc'))
  const gone = block.transactions.filter((tx) => tx.stateAfter?.status === 'nonexist')
  expect(gone.map((tx) => [hex(tx.stateHashAfter), tx.endStatus, tx.stateAfter])).toEqual([
    [
      '90aec8965afabb16ebc3cb9b408ebae71b618d78788bc80d09843593cac98da4',
      'nonexist',
      { status: 'nonexist', balance: 0n },
    ],
  ])
})

interface MetadataJson {
  readonly entries: readonly {
    readonly source: string
    readonly created_lt: string
    readonly initiator: string
    readonly initiator_lt: string
  }[]
}

test.each(['mainnet_0_a000000000000000_54302203', 'mainnet_0_a000000000000000_54302208'])(
  '%s: envelopes refer to the root of each message',
  (name) => {
    const raw = rawBlockOf(`${name}.boc`)
    const metadataOf = new Map<string, object>()
    forEachInMsg(openBlock(raw).extra.inMsgDescr, ({ envelope }, hash) => {
      const { initiator, initiatorLt } = envelope?.metadata ?? {}
      if (initiator)
        metadataOf.set(hex(hash), {
          initiator: formatRawAddress(initiator).toLowerCase(),
          initiator_lt: String(initiatorLt),
        })
    })
    const found = decodeBlock(raw).transactions.flatMap(({ inMsg }) => {
      if (inMsg?.kind !== 'internal') return []
      return {
        source: formatRawAddress(inMsg.source!).toLowerCase(),
        created_lt: String(inMsg.createdLt),
        ...metadataOf.get(hex(inMsg.hash)),
      }
    })
    const { entries } = fixtureJson<MetadataJson>(`${name}.metadata.json`)
    expect(entries.length).toBeGreaterThan(5)
    for (const entry of entries) expect(found).toContainEqual(entry)
  },
)

test('only the message that recovers fees is marked as a system message', () => {
  const masterchain = decodeBlock(rawBlockOf('mainnet_-1_8000000000000000_58508098.boc'))
  const inMsgs = masterchain.transactions.flatMap((tx) => (tx.inMsg ? [tx.inMsg] : []))
  expect(inMsgs.map((message) => message.isSystem)).toEqual([true])
  expect(hex(inMsgs[0]!.source!.hash)).toBe('00'.repeat(32))
  const shard = decodeBlock(rawBlockOf('mainnet_0_a000000000000000_54302208.boc'))
  expect(shard.transactions.some((tx) => tx.inMsg?.isSystem)).toBe(false)
})

test('a key block has the global version of its configuration, whatever software made it', () => {
  expect(decodeSkeleton(rawBlockOf('everscale_-1_8000000000000000_24715347.boc')).globalVersion).toBe(32)
  expect(decodeSkeleton(rawBlockOf('mainnet_-1_8000000000000000_58508098.boc')).globalVersion).toBeUndefined()
})

describe('bytes that are not the block asked for are refused', () => {
  const raw = rawBlockOf('mainnet_-1_8000000000000000_36338460.boc')

  test('another serialisation of the same tree', () => {
    const bytes = fixture('variants/mainnet_-1_8000000000000000_36338460.other_serialization.boc')
    expect(() => decodeBlock({ ...raw, bytes })).toThrow(/^file_hash: /)
  })

  test('a file hash paired with another root hash', () => {
    const id = { ...raw.id, rootHash: Buffer.alloc(32, 1) }
    expect(() => decodeBlock({ ...raw, id })).toThrow(/^root_hash: /)
    expect(() => decodeBlock({ ...raw, id }, { verify: 'cells' })).toThrow(/^root_hash: /)
  })

  test('an id that names another seqno', () => {
    expect(() => decodeBlock({ ...raw, id: { ...raw.id, seqno: 1 } })).toThrow(
      /^id: asked for .*,1\), the header contains/,
    )
  })

  test('a file that is no block at all', () => {
    const bytes = fixture('states/everscale_zerostate_mc.boc')
    const bag = parseBoc(bytes)
    const id = {
      ...raw.id,
      rootHash: bag.hash(bag.root),
      fileHash: Buffer.from('d270b87b2952b5ba7daa70aaf0a8c361befcf4d8d2db92f9640d5443070838e4', 'hex'),
    }
    expect(() => decodeBlock({ id, bytes })).toThrow(DecodeError)
    expect(() => decodeBlock({ id, bytes })).toThrow(/^block: tag 9023afe2, expected 11ef55aa/)
  })
})
