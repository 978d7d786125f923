import { jsonNumber, requestCell, type V2Address, type V2ValuesOf } from '@shardwalk/api-schema'
import { Builder, type Cell, loadMsgAddress } from '@shardwalk/cells'
import type { BlockId, RawAddress } from '@shardwalk/model'
import {
  type AccountSnapshot,
  forwardFee,
  forwardPrices,
  type GasPrices,
  gasFee,
  gasPrices,
  rootCell,
  storageFee,
} from '@shardwalk/node-access'
import { type ConfigParams, loadTransaction, storeCurrencyCollection } from '@shardwalk/tlb'
import type { V2Context, V2Handlers } from './context.ts'
import { failure } from './failures.ts'

const MASTERCHAIN = -1
/** Blocks begin at multiples of it, so that no transaction of the account is later. */
const LT_STEP = 1_000_000n
const MAX_ACTIONS = 20
const RECV_EXTERNAL = -1
/** Source: block.tlb `OutAction`. */
const ACTION = { sendMessage: 0x0ec3c86d, setCode: 0xad4de08e }

interface Init {
  readonly code: Cell
  readonly data: Cell
}

type FeeQuery = V2ValuesOf<'estimateFee'>

/** Source: API v2 specification 13.7. */
export async function estimateFee(context: V2Context, query: FeeQuery) {
  const { address } = query
  const body = requestCell(query.body, 'body')
  const init = readInit(query)
  const head = await context.chain.head()
  const account = await context.chain.account(head, address)
  const config = await context.chain.config(head)
  const isMasterchain = address.workchain === MASTERCHAIN
  const message = externalMessage(address, body, init)
  const ignoreSignatures = query.ignore_chksig
  const run = await runMessage(context, { account, head, init, message, body, ignoreSignatures, config })
  const stored = account.account
  return {
    in_fwd_fee: jsonNumber(forwardFee(forwardPrices(config, isMasterchain), message)),
    storage_fee: jsonNumber(stored ? storageFee(config, stored, { now: account.utime, isMasterchain }) : 0n),
    gas_fee: jsonNumber(run.gasFee),
    fwd_fee: jsonNumber(run.actions ? actionFees(config, address, run.actions) : 0n),
  }
}

/** Code alone is not enough; data alone counts for nothing. */
function readInit({ init_code: code, init_data: data }: FeeQuery): Init | undefined {
  if (!code || code.length === 0) return undefined
  return { code: requestCell(code, 'init_code'), data: requestCell(data ?? Buffer.alloc(0), 'init_data') }
}

const storeInit = (builder: Builder, { code, data }: Init): Builder =>
  // No fixed prefix length, not special, code, data, no libraries.
  builder.storeUint(0b0011, 4).storeRef(code).storeRef(data).storeBit(false)

/** `ext_in_msg_info$10`, the init in line, the body in line when it fits. */
function externalMessage(address: RawAddress, body: Cell, init: Init | undefined): Cell {
  const message = new Builder()
    .storeUint(0b10, 2)
    .storeUint(0, 2)
    .storeAddress(toAddress(address))
    .storeCoins(0n)
  if (init) storeInit(message.storeUint(0b10, 2), init)
  else message.storeBit(false)
  const fits = !body.isExotic && message.bits + 1 + body.bits <= 1023 && message.refs + body.refs.length <= 4
  return fits
    ? message.storeBit(false).storeCell(body).endCell()
    : message.storeBit(true).storeRef(body).endCell()
}

const toAddress = ({ workchain, hash }: RawAddress): RawAddress => ({ workchain, hash })

interface RunInput {
  readonly account: AccountSnapshot
  readonly head: BlockId
  readonly init: Init | undefined
  readonly message: Cell
  readonly body: Cell
  readonly ignoreSignatures: boolean
  readonly config: ConfigParams
}

interface RunOutcome {
  readonly gasFee: bigint
  /** Only of a run that succeeded. */
  readonly actions?: Cell
}

async function runMessage({ getMethods }: V2Context, input: RunInput): Promise<RunOutcome> {
  const { account, init, config } = input
  const prices: GasPrices = gasPrices(config, account.address.workchain === MASTERCHAIN)
  const code = init?.code ?? account.code
  if (account.balance < prices.flatPrice)
    return { gasFee: gasFee(prices, await gasOfPoor({ getMethods }, input)) }
  if (!code) return { gasFee: 0n }
  const result = await getMethods.emulate({
    code,
    head: input.head,
    shardAccount: shardAccountOf(account, init),
    message: input.message,
    now: account.utime,
    lt: (account.lastTransLt / LT_STEP + 1n) * LT_STEP,
    ignoreSignatures: input.ignoreSignatures,
  })
  if (!result.ok) throw failure(500, `INTERNALestimate_fee: ${result.message}`)
  if (!result.accepted) return { gasFee: 0n }
  const transaction = loadTransaction(rootCell(result.transaction).slice(), account.address.workchain)
  const compute = transaction.description.computePhase
  if (!compute || compute.skipped) return { gasFee: 0n }
  const fee = gasFee(prices, compute.gasUsed)
  return compute.success && result.actions
    ? { gasFee: fee, actions: rootCell(result.actions) }
    : { gasFee: fee }
}

/**
 * An account that cannot buy any gas has no credit, nothing is left of it, and the message counts as accepted: what tonlib shows is the gas
 * of a run without bounds. Source: API v2 specification 13.7, 7, and its recorded replies.
 */
async function gasOfPoor({ getMethods }: Pick<V2Context, 'getMethods'>, input: RunInput): Promise<bigint> {
  const { account, init, message, body } = input
  if (!init && !account.code) return 0n
  const args = [
    { type: 'int', value: account.balance },
    { type: 'int', value: 0n },
    { type: 'cell', cell: message },
    { type: 'slice', cell: body },
  ] as const
  return BigInt(
    (await getMethods.run({ account: { ...account, ...init }, method: RECV_EXTERNAL, args })).gasUsed,
  )
}

/** The account as it is, or with the code and data that would be deployed. */
function shardAccountOf(snapshot: AccountSnapshot, init: Init | undefined): Cell {
  const cell = init ? accountWith(snapshot, init) : snapshot.cell!
  return new Builder()
    .storeRef(cell)
    .storeBytes(snapshot.lastTransHash)
    .storeUint(snapshot.lastTransLt, 64)
    .endCell()
}

/** block.tlb `account$1`, active. What is stored costs nothing here: storage fees are reckoned apart. */
function accountWith(
  { address, account, balance, extraCurrencies, utime }: AccountSnapshot,
  init: Init,
): Cell {
  const builder = new Builder().storeBit(true).storeAddress(toAddress(address))
  builder
    .storeVarUint(account?.used.cells ?? 0n, 3)
    .storeVarUint(account?.used.bits ?? 0n, 3)
    .storeUint(0, 3)
  builder.storeUint(account?.lastPaid ?? utime, 32).storeBit(false)
  builder.storeUint(account?.storageLt ?? 0n, 64)
  storeCurrencyCollection(builder, { grams: balance, ...(extraCurrencies && { extra: extraCurrencies }) })
  return storeInit(builder.storeBit(true), init).endCell()
}

/** Forwarding fees of every message that the run wants to send. */
function actionFees(config: ConfigParams, sender: V2Address, list: Cell): bigint {
  let total = 0n
  let rest = list
  for (let count = 1; rest.refs.length > 0; count++) {
    if (count > MAX_ACTIONS) throw failure(500, 'INTERNALestimate_fee: too many actions')
    const slice = rest.slice()
    rest = slice.loadRefCell()
    const tag = slice.loadUint(32)
    if (tag === ACTION.setCode) throw failure(500, 'INTERNALestimate_fee: action_set_code unsupported')
    if (tag === ACTION.sendMessage) total += messageFee(config, sender, slice.skip(8).loadRefCell())
  }
  return total
}

function messageFee(config: ConfigParams, sender: RawAddress, message: Cell): bigint {
  const slice = message.slice()
  if (slice.loadBit()) throw failure(500, 'INTERNALestimate_fee: destination is not an internal address')
  loadMsgAddress(slice.skip(3))
  const destination = loadMsgAddress(slice)
  if (destination.type !== 'std')
    throw failure(500, 'INTERNALestimate_fee: destination is not an internal address')
  const isMasterchain = [sender.workchain, destination.address.workchain].includes(MASTERCHAIN)
  return forwardFee(forwardPrices(config, isMasterchain), message)
}

export const FEE_HANDLERS: V2Handlers<'estimateFee'> = {
  estimateFee: async (context, query) => ({
    '@type': 'query.fees',
    source_fees: { '@type': 'fees', ...(await estimateFee(context, query)) },
    destination_fees: [],
  }),
}
