import { type DecodedMessage, type DecodedTransaction, formatRawAddress } from '@shardwalk/model'
import { fixtureChain } from '@shardwalk/testkit'
import { assemble, type TraceInput } from '@shardwalk/traces'
import { beforeAll, expect, test } from 'vitest'
import { basicTree } from '../src/classify.ts'
import { breadthFirst } from '../src/core/block.ts'
import {
  type ActionRow,
  classifyTrace,
  type Trace,
  type TraceMessage,
  type TraceTransaction,
} from '../src/index.ts'

const traces: Trace[] = []

const base64 = (hash: Buffer | undefined): string | null => hash?.toString('base64') ?? null

const toMessage = (message: DecodedMessage): TraceMessage => ({
  hash: message.hash.toString('base64'),
  source: message.source ? formatRawAddress(message.source) : null,
  destination: message.destination ? formatRawAddress(message.destination) : null,
  value: message.value ?? null,
  extraCurrencies: Object.fromEntries(
    [...(message.valueExtraCurrencies ?? [])].map(([id, amount]) => [id, String(amount)]),
  ),
  createdLt: message.createdLt ?? null,
  createdAt: message.createdAt ?? null,
  opcode: message.opcode ?? null,
  bounce: message.bounce ?? null,
  body: message.body,
  initState: message.initState ?? null,
})

const toTransaction = (transaction: DecodedTransaction, mcBlockSeqno: number): TraceTransaction => {
  const { description } = transaction
  const compute = description.computePhase
  return {
    hash: transaction.hash.toString('base64'),
    account: formatRawAddress(transaction.account),
    lt: transaction.lt,
    now: transaction.now,
    mcBlockSeqno,
    origStatus: transaction.origStatus,
    endStatus: transaction.endStatus,
    kind: description.kind,
    aborted: description.aborted ?? false,
    exitCode: compute && !compute.skipped ? compute.exitCode : null,
    skipReason: compute?.skipped ? compute.reason : null,
    inMessage: transaction.inMsg ? toMessage(transaction.inMsg) : null,
    outMessages: transaction.outMsgs.map(toMessage),
  }
}

beforeAll(async () => {
  const inputs: (TraceInput & { readonly transaction: DecodedTransaction })[] = []
  for await (const { mcBlockSeqno, batch } of fixtureChain())
    for (const block of [...batch.shards, batch.masterchain])
      for (const transaction of block.transactions) inputs.push({ transaction, mcBlockSeqno })
  const { pieces, pieceOf } = assemble(inputs)
  const byTrace = new Map<string, typeof inputs>()
  for (const [index, input] of inputs.entries()) {
    const id = base64(pieces[pieceOf[index]!]!.traceId)!
    byTrace.set(id, [...(byTrace.get(id) ?? []), input])
  }
  for (const row of pieces) {
    const traceId = row.traceId.toString('base64')
    traces.push({
      traceId,
      externalHash: base64(row.externalHash),
      externalHashNorm: base64(row.externalHashNorm),
      mcBlockSeqnoEnd: row.mcBlockSeqnoEnd,
      startLt: row.startLt,
      endLt: row.endLt,
      startUtime: row.startUtime,
      endUtime: row.endUtime,
      transactions: byTrace
        .get(traceId)!
        .map(({ transaction, mcBlockSeqno }) => toTransaction(transaction, mcBlockSeqno)),
    })
  }
})

test('a real chain is classified without a fault and without facts about contracts', () => {
  const counts = new Map<string, number>()
  for (const trace of traces) {
    const { failures, actions } = classifyTrace(trace, new Map())
    expect(failures).toEqual([])
    expect(new Set(actions.map(({ action_id }) => action_id)).size).toBe(actions.length)
    for (const { type } of actions) counts.set(type, (counts.get(type) ?? 0) + 1)
  }
  expect(traces).toHaveLength(2449)
  expect(counts.get('contract_deploy')).toBeGreaterThan(400)
  for (const type of [
    'election_deposit',
    'election_recover',
    'vesting_send_message',
    'vesting_add_whitelist',
    'change_dns',
  ])
    expect(counts.get(type)).toBeGreaterThan(0)
})

test('each transaction is in the basic tree exactly once', () => {
  for (const trace of traces) {
    const nodes = breadthFirst(basicTree(trace)).flatMap((block) => block.nodes)
    const seen = nodes.filter(({ kind }) => kind !== 'log').map(({ transaction }) => transaction.hash)
    expect(seen.sort()).toEqual(trace.transactions.map(({ hash }) => hash).sort())
  }
})

const rowsOf = (type: string): ActionRow[] =>
  traces.flatMap((trace) => classifyTrace(trace, new Map()).actions).filter((row) => row.type === type)

test('a wallet v5 that was sent a signed request by another account, and the transfer that it made', () => {
  const [request, ...others] = rowsOf('gasless_request')
  expect(others).toEqual([])
  expect(request).toMatchObject({
    success: true,
    source: '0:0AEF06C8322F26CD6582C7D0491927EC27BA37E8B9EE6A1918CAD24DF559A41E',
    destination: '0:97F3B0257D9D4D0B6A7BD87B392FFC74749A909F6FD56EED2C08CAFBB2E57C3C',
    value: 100_000_000n,
  })
  const trace = traces.find(({ traceId }) => traceId === request!.trace_id)!
  const results = classifyTrace(trace, new Map()).actions.filter((row) => row.parent_gasless_action)
  expect(results).toMatchObject([
    { ton_transfer_data: { content: 'gasless' }, parent_gasless_action: request!.action_id },
  ])
})

test('a message with extra currencies keeps them', () => {
  const carried = rowsOf('ton_transfer').filter(
    ({ value_extra_currencies: extra }) => Object.keys(extra ?? {}).length > 0,
  )
  expect(carried.length).toBeGreaterThan(0)
})
