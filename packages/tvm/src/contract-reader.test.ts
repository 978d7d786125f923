import { Builder, buildDict, type Cell, EMPTY_CELL, serializeBoc } from '@shardwalk/cells'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LoadedContract, TvmContractReader, type TvmEnvironment, TvmPool } from './index.ts'

let pool: TvmPool
beforeAll(() => {
  pool = new TvmPool({ threads: 1, timeoutMs: 20_000 })
})
afterAll(() => pool.close())

const VERSION = new Builder().storeUint(0xc4, 8).storeUint(12, 32).storeUint(494, 64).endCell()
const configOf = (parameters: readonly (readonly [bigint, Cell])[]) => {
  const entries = parameters.map(([id, value]) => [id, new Builder().storeRef(value)] as const)
  return buildDict(entries, 32) as Cell
}
const CONFIG = configOf([[8n, VERSION]])
const bytes = (hex: string) => new Builder().storeBytes(Buffer.from(hex, 'hex')).endCell()
const referenceTo = (cell: Cell) =>
  new Builder().storeUint(2, 8).storeBytes(cell.hash()).endCell({ exotic: true })
const contract = (code: Cell, data: Cell): LoadedContract => ({
  address: { workchain: 0, hash: Buffer.alloc(32, 0x11) },
  codeHash: code.hash(),
  dataHash: data.hash(),
  code: serializeBoc(code),
  data: serializeBoc(data),
  balance: 0n,
  now: 1_700_000_000,
})

/** A reader whose libraries become available one at a time, on demand. */
function readerOver(published: readonly Cell[]) {
  const asked: string[] = []
  const known: [bigint, Builder][] = []
  let environment: TvmEnvironment = pool.environment({ config: CONFIG })
  const reader = new TvmContractReader({
    pool,
    environmentFor: () => environment,
    load: async () => undefined,
    library: async (hash) => {
      asked.push(hash.toString('hex'))
      const cell = published.find((one) => one.hash().equals(hash))
      if (!cell) return false
      known.push([BigInt(`0x${hash.toString('hex')}`), new Builder().storeRef(cell)])
      environment = pool.environment({ config: CONFIG, libraries: buildDict(known, 256) as Cell })
      return true
    },
  })
  return { reader, asked }
}

// PUSHINT 5 below the method id: the code in the library.
const LIBRARY = bytes('3075')

test('a contract whose code is a library runs once its library is available', async () => {
  const { reader, asked } = readerOver([LIBRARY])
  const state = reader.open(contract(referenceTo(LIBRARY), EMPTY_CELL))
  expect(await reader.run(state, 'seqno')).toEqual([{ type: 'int', value: 5n }])
  expect(asked).toEqual([LIBRARY.hash().toString('hex')])
})

test('libraries referenced by data are fetched when the run needs them', async () => {
  const stored = new Builder().storeUint(7, 8).endCell()
  const { reader, asked } = readerOver([stored])
  // DROP; PUSH c4; CTOS; LDREF; DROP; CTOS; 8 LDU; DROP
  const code = bytes('30ed44d0d430d0d30730')
  const state = reader.open(contract(code, new Builder().storeRef(referenceTo(stored)).endCell()))
  expect(await reader.run(state, 'seqno')).toEqual([{ type: 'int', value: 7n }])
  expect(asked).toEqual([stored.hash().toString('hex')])
})

test('an unpublished library is requested once per run, and the method has no answer', async () => {
  const { reader, asked } = readerOver([])
  const state = reader.open(contract(referenceTo(bytes('3076')), EMPTY_CELL))
  expect(await reader.run(state, 'seqno')).toBeUndefined()
  expect(asked.length).toBe(1)
})

test('a getter that reads the configuration sees all of it, as it is', async () => {
  // DROP; PUSHINT 4; CONFIGOPTPARAM; ISNULL
  const code = bytes('3074f8336e')
  const slim = pool.environment({ config: CONFIG })
  let newest = slim
  const reader = new TvmContractReader({
    pool,
    environmentFor: (_codeHash, isWhole) => (isWhole ? newest : slim),
    load: async () => undefined,
  })
  const state = reader.open(contract(code, EMPTY_CELL))
  const isMissing = async () => (await reader.run(state, 'seqno'))?.[0]
  expect(await isMissing()).toEqual({ type: 'int', value: -1n })
  newest = pool.environment({
    config: configOf([
      [4n, EMPTY_CELL],
      [8n, VERSION],
    ]),
  })
  expect(await isMissing()).toEqual({ type: 'int', value: 0n })
})

test('a Telegram wallet answers with the code in configuration parameter -123', async () => {
  // Source: ton-blockchain/tg-wallet-contract, contracts/WalletTrampoline.boc.
  const jump = bytes('ff00209821d7498308b9f240df8085f833d0ed1e20ed53d9')
  // DROP; PUSH c4; CTOS; 8 LDU; NIP; 32 LDU; DROP
  const shared = bytes('30ed44d0d30731d31f30')
  const slim = pool.environment({ config: CONFIG })
  const whole = pool.environment({
    config: configOf([
      [8n, VERSION],
      [BigInt.asUintN(32, -123n), shared],
    ]),
  })
  const reader = new TvmContractReader({
    pool,
    environmentFor: (_codeHash, isWhole) => (isWhole ? whole : slim),
    load: async () => undefined,
  })
  const data = new Builder().storeUint(0, 8).storeUint(41, 32).storeUint(0x7fff7f11, 32).storeUint(5, 256)
  const state = reader.open(contract(jump, data.endCell()))
  expect(await reader.run(state, 'seqno')).toEqual([{ type: 'int', value: 41n }])
})

test.each([
  ['time', 'f823', 1_700_000_001n],
  ['balance', 'f8276f10', 5n],
])('a getter that reads the %s is not answered from another state', async (_name, instruction, expected) => {
  const { reader } = readerOver([])
  const before = contract(bytes(`30${instruction}`), EMPTY_CELL)
  await reader.run(reader.open(before), 'seqno')
  // The data are the same.
  const state = reader.open({ ...before, now: before.now + 1, balance: 5n })
  expect(await reader.run(state, 'seqno')).toEqual([{ type: 'int', value: expected }])
})

test('a run that reaches its time limit is no answer, or an error for those who can wait', async () => {
  let now = 0
  const impatient = new TvmPool({ threads: 1, timeoutMs: 1, now: () => now })
  // PUSHINT 0; PUSHCONT { INC }; AGAIN
  const endless = contract(bytes('7091a4ea'), EMPTY_CELL)
  const readerThat = (isPatient: boolean) =>
    new TvmContractReader({
      ...{ pool: impatient, isPatient, load: async () => undefined },
      environmentFor: () => impatient.environment({ config: CONFIG }),
    })
  const patient = readerThat(true)
  const attempt = () => patient.run(patient.open(endless), 'seqno')
  for (let run = 0; run < 4; run++, now += 60_000)
    await expect(attempt()).rejects.toMatchObject({ code: 'method_not_run' })
  // Not even in minutes.
  expect(await attempt()).toBeUndefined()
  const hasty = readerThat(false)
  expect(await hasty.run(hasty.open(endless), 'seqno')).toBeUndefined()
  await impatient.close()
})
